/** 256 random bits as 43 characters, also valid as a PKCE verifier (RFC 7636 §4.1). */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** The PKCE challenge of a verifier (RFC 7636 §4.2, S256). */
export const challengeOf = async (verifier: string): Promise<string> =>
  base64url(await hashOf(verifier, '256'))

/** The SHA-2 hash with this many bits. */
export async function hashOf(text: string, bits: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest(`SHA-${bits}`, new TextEncoder().encode(text)))
}

export function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
