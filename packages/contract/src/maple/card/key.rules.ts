/** How the keys of one card are derived from master keys. */
export const diversifications = ['EMV', 'VISA2', 'KDF3'] as const
export type KeyDiversification = (typeof diversifications)[number]

export const keyProtocols = ['SCP02', 'SCP03'] as const
export const keyAlgorithms = ['AES', 'DES'] as const
export const keyCustodies = ['vault', 'hsm'] as const
export type KeyCustody = (typeof keyCustodies)[number]

/** `pending`: the card may have them. `old`: the card had them before. */
export const keyStates = ['pending', 'active', 'old', 'retired'] as const
export type KeyState = (typeof keyStates)[number]
export const keyOrigins = ['imported', 'generated', 'delivered', 'diversified'] as const

/**
 * The source of new keys: `random` generates them, `derived` derives them from master keys with the
 * card's diversification data, and `imported` takes keys made elsewhere.
 */
export const keyTargets = ['random', 'derived', 'imported'] as const
export type KeyTargetKind = (typeof keyTargets)[number]

/** Lengths of a key in bytes, by the algorithm of the protocol. */
export const keyLengths = { AES: [16, 24, 32], DES: [16] } as const

/** A key of 16, 24 or 32 bytes. */
export const keyPattern = '^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{48}|[0-9A-Fa-f]{64})$'
export const isKeyText = (text: string): boolean => new RegExp(keyPattern).test(text)
export const checkValuePattern = '^[0-9A-Fa-f]{6}$'
export const isCheckValue = (text: string): boolean => new RegExp(checkValuePattern).test(text)

/** The format of exported keys: bytes (RFC 5649), or a key block of version D (ANSI X9.143, TR-31). */
export const keyWrappings = ['AES-KWP', 'TR-31'] as const
export type KeyWrapping = (typeof keyWrappings)[number]

/**
 * A key of 16, 24 or 32 bytes wrapped with a transport key: as bytes it is eight bytes longer, while
 * a block has at least 112 characters, so the two cannot be confused.
 */
export const wrappedKeyPattern =
  '^([0-9A-Fa-f]{48}|[0-9A-Fa-f]{64}|[0-9A-Fa-f]{80}|D[0-9]{4}[ -~]{107,1019})$'
export const isKeyBlock = (wrapped: string): boolean => /^D.{111}/.test(wrapped)

/** How long exported keys can be read. */
export const keyExportDays = 7
export const maxKeyExports = 50

export const maxMasterNameLength = 100
export const maxMasters = 200
export const maxKeySets = 100

/**
 * The step of a rotation. `sending` is stored before PUT KEY is sent and `sent` after the card
 * accepted it; `unknown` is between them. The last five are final.
 */
export const rotationSteps = [
  'asked',
  'sending',
  'sent',
  'unknown',
  'committed',
  'rolledBack',
  'refused',
  'blocked',
  'failed',
] as const
export type RotationStep = (typeof rotationSteps)[number]

export const openRotationSteps: readonly RotationStep[] = ['asked', 'sending', 'sent', 'unknown']
export const isOpenRotation = (step: RotationStep): boolean => openRotationSteps.includes(step)

/** Why a rotation is at a step: each has a text in the console. */
export const rotationCauses = [
  'keys_gone',
  'master_gone',
  'other_protocol',
  'no_keys_yet',
  'other_check_values',
  'card_refused',
  'old_keys',
  'card_unreachable',
  'wrong_keys',
  'channel_refused',
  'channel_broken',
  'transport_failed',
  'transport_missing',
  'power_lost',
  'lease_lost',
  'lease_held',
  'element_blocked',
  'key_missing',
  'vault_unavailable',
  'hsm_unavailable',
  'hsm_pin_refused',
  'hsm_pin_locked',
  'hsm_key_missing',
  'hsm_full',
  'not_sent',
  'internal',
] as const
export type RotationCause = (typeof rotationCauses)[number]

/**
 * Which keys the card has instead of those that Grove tried, found without querying the card again.
 */
export const mismatchFindings = [
  'ownSet',
  'ownSetDiversified',
  'testKey',
  'testKeyDiversified',
  'master',
  'masterDiversified',
  'unknown',
] as const
export type MismatchFinding = (typeof mismatchFindings)[number]

/** What Grove found out about keys that did not match. */
export interface MismatchFacts {
  /** The key version and protocol in the card's greeting. */
  version: number
  protocol: (typeof keyProtocols)[number]
  finding: MismatchFinding
  foundVersion: number | null
  diversification: KeyDiversification | null
  masterName: string | null
}

/** The same as texts, for a finding of an operation. */
export const mismatchParams = ({
  version,
  protocol,
  finding,
  foundVersion,
  diversification,
  masterName,
}: MismatchFacts): Record<string, string> => ({
  version: String(version),
  protocol,
  finding,
  ...(foundVersion !== null && { foundVersion: String(foundVersion) }),
  ...(diversification !== null && { diversification }),
  ...(masterName !== null && { masterName }),
})

/** What `mismatchParams` wrote; undefined for findings that were stored without it. */
export function mismatchOf(params: Readonly<Record<string, string>>): MismatchFacts | undefined {
  const finding = mismatchFindings.find((each) => each === params['finding'])
  const protocol = keyProtocols.find((each) => each === params['protocol'])
  if (!finding || !protocol) return undefined
  const { foundVersion, masterName = null } = params
  return {
    version: Number(params['version']),
    protocol,
    finding,
    foundVersion: foundVersion === undefined ? null : Number(foundVersion),
    diversification: diversifications.find((each) => each === params['diversification']) ?? null,
    masterName,
  }
}
