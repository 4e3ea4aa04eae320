/** The token in a response of the authentication service. */
export interface Token {
  /** `Bearer`. */
  tokenType: string
  /** A JWT. */
  accessToken: string
  /** Opaque; without it the session ends when the access token expires. */
  refreshToken?: string
}

/** The payload of an access token. Decoded is not verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Parses a token from outside; null if it has no token type or no access token. */
export function parseToken(value: unknown): Token | null {
  const { tokenType, accessToken, refreshToken }: Claims = Object(value)
  if (!isText(tokenType) || !isText(accessToken)) return null
  return { tokenType, accessToken, ...(isText(refreshToken) && { refreshToken }) }
}

/** The payload of a JWT, unverified; empty if the token is not a JWT. */
export function decodeClaims(accessToken: string): Claims {
  try {
    const payload = (accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return {}
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
