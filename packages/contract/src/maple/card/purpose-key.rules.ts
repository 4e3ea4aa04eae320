/**
 * What a key of a security domain is for, besides opening channels: verifying tokens of delegated
 * management, making receipts, or verifying signatures of load files (DAP).
 */
export const keyPurposes = ['token', 'receipt', 'dap'] as const
export type KeyPurpose = (typeof keyPurposes)[number]

/** `DES` is triple DES with two keys, `EC` a key on P-256. */
export const purposeKeyKinds = ['AES', 'DES', 'RSA', 'EC'] as const
export type PurposeKeyKind = (typeof purposeKeyKinds)[number]

/** A card makes receipts with a key that Grove has too. */
export const kindsFor: Record<KeyPurpose, readonly PurposeKeyKind[]> = {
  token: purposeKeyKinds,
  receipt: ['AES', 'DES'],
  dap: purposeKeyKinds,
}

/**
 * `sending`: the card may have it. `replaced`: another key came in its place. Only `active` ones are
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

/** Commands that are signed at once. */
export const maxSigned = 32
/** Of a command in hexadecimal. */
export const maxCommandLength = 2000
export const maxTokenRequests = 50
/** Tokens can be read for this time. */
export const tokenRequestDays = 7

export const maxPurposeKeys = 100
/** Of a key as text: PEM, or hexadecimal. */
export const maxKeyTextLength = 4000
