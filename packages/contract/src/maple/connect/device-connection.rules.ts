/** Secrets of one device that open a connection: the one in use, and the next. */
export const maxCredentials = 2

/** Claim codes of one service provider that can be used. */
export const maxClaimCodes = 100
/** Devices of one claim code. */
export const maxClaims = 1_000_000
/** How long a claim code can be used, in hours: up to a year. */
export const maxClaimHours = 8_784
export const claimNameLimit = 100

/** Twelve letters and digits that are not mistaken for one another, in any case. */
export const claimPattern =
  '^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{4}-?[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{4}-?[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{4}$'

/** The initial state of an unregistered device that uses a code. */
export const claimedStates = ['quarantined', 'accepted'] as const
export type ClaimedState = (typeof claimedStates)[number]

/** The secret of a device: 32 random bytes in base64url. */
export const deviceSecretPattern = String.raw`^[\w-]{43}$`

/** Messages that the page of a device shows. */
export const shownMessages = 50
