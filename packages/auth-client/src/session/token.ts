/** What the authentication service answers with. */
export interface Token {
  /** `Bearer`. */
  tokenType: string
  /** A JWT. */
  accessToken: string
  /** Opaque; without it the session ends with the access token. */
  refreshToken?: string
}

/** The payload of an access token. Decoded is not verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Reads a token from outside; null when it has no token type or no access token. */
export function parseToken(value: unknown): Token | null {
  if (!isRecord(value)) return null
  const { tokenType, accessToken, refreshToken } = value
  if (!isText(tokenType) || !isText(accessToken)) return null
  return { tokenType, accessToken, ...(isText(refreshToken) && { refreshToken }) }
}

/** The payload of a JWT, unverified; empty when the token is no JWT. */
export function decodeClaims(accessToken: string): Claims {
  try {
    const payload = (accessToken.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(claims) ? claims : {}
  } catch {
    return {}
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
