/**
 * The purpose of a security domain's key, besides opening channels: verifying tokens of delegated
 * management, creating receipts, or verifying signatures of load files (DAP).
 */
export const keyPurposes = ['token', 'receipt', 'dap'] as const
export type KeyPurpose = (typeof keyPurposes)[number]

/** `DES` is triple DES with two keys, `EC` a key on P-256. */
export const purposeKeyKinds = ['AES', 'DES', 'RSA', 'EC'] as const
export type PurposeKeyKind = (typeof purposeKeyKinds)[number]

/** Receipts are created with a secret key that both the card and Grove have. */
export const kindsFor: Record<KeyPurpose, readonly PurposeKeyKind[]> = {
  token: purposeKeyKinds,
  receipt: ['AES', 'DES'],
  dap: purposeKeyKinds,
}

/**
 * `sending`: the card may have it. `replaced`: another key took its place. Only `active` ones are
 * used.
 */
export const purposeKeyStates = [
  'asked',
  'sending',
  'active',
  'refused',
  'failed',
  'replaced',
] as const
export type PurposeKeyState = (typeof purposeKeyStates)[number]
export const isOpenPurposeKey = (state: PurposeKeyState): boolean =>
  state === 'asked' || state === 'sending'

/** Lengths of an RSA key, in bits. */
export const rsaLengths = { least: 1024, most: 2048 } as const

/** The maximum number of commands signed at once. */
export const maxSigned = 32
/** Of a command in hexadecimal. */
export const maxCommandLength = 2000
export const maxTokenRequests = 50
/** How long tokens can be read. */
export const tokenRequestDays = 7

export const maxPurposeKeys = 100
/** Of a key as text: PEM, or hexadecimal. */
export const maxKeyTextLength = 4000
