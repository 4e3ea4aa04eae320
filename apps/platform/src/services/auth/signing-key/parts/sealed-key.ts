import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose'
import { StartupError } from '../../../../core/startup-error.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import type { PublicJwk } from '../../tables.ts'
import type { SigningKeyRow } from '../signing-key.queries.ts'

export interface LoadedKey {
  kid: string
  key: CryptoKey
  signsFrom: number
  publicJwk: PublicJwk
  publicKey: CryptoKey
}

/** A new key pair as a row, with its private part encrypted under the platform's secret. */
export async function generateKey(secret: string, signsFrom: number) {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const publicJwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey))
  return {
    kid,
    public_jwk: JSON.stringify({ ...publicJwk, kid, alg: 'ES256', use: 'sig' }),
    sealed_private_jwk: seal(privateJwk, secret, purposeOf(kid)),
    signs_from: new Date(signsFrom).toISOString(),
  }
}

/** @throws StartupError if the keys were encrypted with another secret. */
export function openKeys(rows: readonly SigningKeyRow[], secret: string): Promise<LoadedKey[]> {
  return Promise.all(
    rows.map(async ({ kid, public_jwk, sealed_private_jwk, signs_from }) => ({
      kid,
      key: await importKey(unsealKey(sealed_private_jwk, secret, kid)),
      publicKey: await importKey(public_jwk),
      publicJwk: public_jwk,
      signsFrom: Date.parse(signs_from),
    })),
  )
}

// Importing a JWK of kind EC never returns the bytes of a symmetric key.
const importKey = async (jwk: JWK) => (await importJWK(jwk, 'ES256')) as CryptoKey

function unsealKey(sealed: string, secret: string, kid: string): JWK {
  try {
    return JSON.parse(unseal(sealed, secret, purposeOf(kid))) as JWK
  } catch (cause) {
    throw new StartupError(
      'The signing keys in the database were sealed with another secret. Set GROVE_SECRET (or put back the file "secret" of the data folder) as it was, or delete the rows of auth.signing_key, which ends every access token.',
      { cause },
    )
  }
}

/**
 * The same key encrypted with another secret. @throws StartupError if it was encrypted with neither.
 */
export const resealKey = (
  { kid, sealed_private_jwk }: SigningKeyRow,
  secret: string,
  next: string,
): string => seal(JSON.stringify(unsealKey(sealed_private_jwk, secret, kid)), next, purposeOf(kid))

const purposeOf = (kid: string) => `signing key ${kid}`
