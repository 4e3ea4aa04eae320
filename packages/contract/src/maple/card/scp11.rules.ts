/** Which side authenticates itself: both with `a` and `c`, only the card with `b`. */
export const scp11Variants = ['a', 'b', 'c'] as const
export type Scp11Variant = (typeof scp11Variants)[number]

/** Whether the host authenticates itself too, for which it needs a key and certificates. */
export const provesHost = (variant: Scp11Variant): boolean => variant !== 'b'

/** Protocols of an open secure channel, as a session shows them. */
export const channelProtocols = ['SCP02', 'SCP03', 'SCP11a', 'SCP11b', 'SCP11c'] as const

/** Length of session keys in bytes. */
export const scp11KeyLengths = [16, 24, 32] as const

/** Of one service provider. */
export const maxCredentials = 50
export const maxCredentialNameLength = 100
/** Of certificates as text: PEM, or hexadecimal. */
export const maxCertificateTextLength = 20_000
/** Certificates of a host, or keys of authorities. */
export const maxCertificates = 8
