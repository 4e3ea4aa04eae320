import { createPrivateKey, createPublicKey } from 'node:crypto'
import { calculateJwkThumbprint, CompactSign, exportJWK, type JWK } from 'jose'
import type { Config } from '../../../core/config.ts'
import { deriveSecret, readSecret } from '../../../core/secret.ts'

/** What a host app can verify about a package before it runs it. */
export interface PackageFacts {
  productId: string
  productVersionId: string
  version: string
  sha256: string
  bytes: number
}

export interface PackageKey {
  publicJwk: JWK
  /** A compact JWS of the facts. */
  sign: (facts: PackageFacts) => Promise<string>
}

// RFC 8410 §7: the prefix of an Ed25519 key in PKCS #8.
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * The key that signs packages, derived from the platform's secret, so every process has the same one
 * and nothing is stored; another secret gives another key with another `kid`.
 */
export async function openPackageKey(config: Config): Promise<PackageKey> {
  const seed = Buffer.from(deriveSecret(await readSecret(config), 'package signature'), 'base64url')
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8Head, seed]),
    format: 'der',
    type: 'pkcs8',
  })
  const jwk = await exportJWK(createPublicKey(key))
  const kid = await calculateJwkThumbprint(jwk)
  return {
    publicJwk: { ...jwk, kid, alg: 'EdDSA', use: 'sig' },
    sign: (facts) =>
      new CompactSign(Buffer.from(JSON.stringify(facts)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'grove-package' })
        .sign(key),
  }
}
