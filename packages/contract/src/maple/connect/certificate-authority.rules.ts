/** Certificate authorities of one service provider. */
export const maxAuthorities = 20
export const maxAuthorityNameLength = 100
/** Characters of a certificate in PEM: one with a key of RSA and long names has about 3,000. */
export const maxCertificateLength = 16_384

/** Serial numbers in hex, with colons or spaces between bytes, as programs show them. */
export const serialPattern = '^[0-9A-Fa-f](?:[: ]?[0-9A-Fa-f]){0,63}$'

/** As certificates have it here: hex digits in capitals, whole bytes, without zeros in front. */
export function storedSerial(text: string): string {
  const digits = text
    .replaceAll(/[: ]/g, '')
    .toUpperCase()
    .replace(/^0+(?=.)/, '')
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

/** Base64 of a signature; openssl breaks it into lines. */
export const signaturePattern = String.raw`^[A-Za-z0-9+/\s]+={0,2}\s*$`
export const maxSignatureLength = 2_048

/** The number of an authority's certificates that are shown, newest first. */
export const shownCertificates = 50
/** Devices of an authority are counted up to here. */
export const certifiedCountLimit = 10_000

/** Why a certificate of an authority was refused. */
export const certificateRefusals = [
  'authorityDisabled',
  'authorityExpired',
  'expired',
  'notYetValid',
  'purpose',
  'deviceId',
  'revoked',
  'otherOwner',
  'otherProduct',
  'retired',
  'productEnded',
] as const
export type CertificateRefusal = (typeof certificateRefusals)[number]
