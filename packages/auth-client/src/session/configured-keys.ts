import type { VerificationOptions } from '../types.ts'
import { checked, cryptoOf, importJwk, remoteKeys, type Keys } from './keys.ts'

/** The keys in the options, or at the URL there. */
export function keysOf(
  { publicKey, jwksUrl }: VerificationOptions,
  { authUrl, fetch: send }: { authUrl: string; fetch: typeof fetch },
): Keys {
  if (publicKey !== undefined) {
    return {
      find: async ({ alg }) => [
        await (typeof publicKey === 'string'
          ? importPem(publicKey, alg)
          : importJwk(publicKey, alg)),
      ],
      renew: async () => true,
    }
  }
  if (jwksUrl === undefined) throw new Error('Verification needs publicKey or jwksUrl')
  const { href } = new URL(jwksUrl, new URL(authUrl, globalThis.location?.href))
  return remoteKeys(() => href, send)
}

async function importPem(pem: string, alg: string): Promise<CryptoKey> {
  const body = /-----BEGIN PUBLIC KEY-----([\w+/=\s]*)-----END PUBLIC KEY-----/.exec(pem)?.[1]
  if (body === undefined) throw new Error('The public key is not PEM (SPKI)')
  const text = atob(body.replaceAll(/\s/g, ''))
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
  return checked(await crypto.subtle.importKey('spki', bytes, cryptoOf(alg), false, ['verify']))
}
