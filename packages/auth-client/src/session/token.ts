/** The token in a response of the authentication service. */
export interface Token {
  /** `Bearer`. */
  tokenType: string
  /** A JWT. */
  accessToken: string
  /** Opaque; without it the session ends when the access token expires. */
  refreshToken?: string
  /** A JWT that identifies the person; an OpenID service needs it for the logout. */
  idToken?: string
  /**
   * Seconds that an opaque access token lives. With it the ID token is read and verified in place of
   * the access token.
   */
  expiresIn?: number
}

/** The payload of an access token. Decoded is not verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Parses a token from outside; null if it has no token type or no access token. */
export function parseToken(value: unknown): Token | null {
  const { tokenType, accessToken, refreshToken, idToken, expiresIn }: Claims = Object(value)
  if (!isText(tokenType) || !isText(accessToken)) return null
  return {
    tokenType,
    accessToken,
    ...(isText(refreshToken) && { refreshToken }),
    ...(isText(idToken) && { idToken }),
    ...((expiresIn as number) > 0 && { expiresIn: expiresIn as number }),
  }
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

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
