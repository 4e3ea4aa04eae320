/** 256 random bits as 43 characters, also valid as a PKCE verifier (RFC 7636 §4.1). */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** The PKCE challenge of a verifier (RFC 7636 §4.2, S256). */
export async function challengeOf(verifier: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64url(new Uint8Array(hash))
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
