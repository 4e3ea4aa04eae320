import {
  calculateJwkThumbprint,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { StartupError } from '../../../core/startup-error.ts'
import { seal, unseal } from '../sealed.ts'
import type { AuthDb, PublicJwk } from '../tables.ts'
import { nextStart, retiredCount, signerIndex } from './key-periods.ts'
import {
  deleteSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  readSigningKeys,
  type SigningKeyRow,
} from './signing-key.queries.ts'

export interface Signer {
  kid: string
  key: CryptoKey
}

export interface KeyRing {
  /** The key that signs now. Ask before a transaction: it may read the database. */
  signer: () => Promise<Signer>
  /** What the JWKS publishes: keys that will sign, that signs, and whose tokens still live. */
  publicKeys: () => Promise<PublicJwk[]>
  /** Finds the public key of a token for a verifier in this process. */
  keySource: JWTVerifyGetKey
}

// How soon a process notices a key that another one made: far less than `publishedBefore`.
const reloadMs = 60_000
// Made-up key ids must not become a stream of queries.
const unknownKeyReloadMs = 5_000

interface LoadedKey extends Signer {
  signsFrom: number
  publicJwk: PublicJwk
  publicKey: CryptoKey
}

export async function openKeyRing(db: AuthDb, secret: string, now: () => number): Promise<KeyRing> {
  let keys = await loadKeys(db, secret, now())
  let loadedAt = now()
  let loading: Promise<void> | undefined

  const load = async () => {
    keys = await loadKeys(db, secret, now())
    loadedAt = now()
  }
  const reload = () => {
    loading ??= load().finally(() => {
      loading = undefined
    })
    return loading
  }
  const fresh = async () => {
    // Without the database the known keys go on: the next one was public a day before it signs.
    if (now() - loadedAt >= reloadMs) await reload().catch(() => undefined)
    return keys
  }
  const find = (kid: string | undefined) => keys.find((key) => key.kid === kid)

  return {
    signer: async () => {
      const known = await fresh()
      const index = signerIndex(
        known.map((key) => key.signsFrom),
        now(),
      )
      const key = known[index]
      if (!key) throw new Error('The signing keys are gone from the database.')
      return key
    },
    publicKeys: async () => (await fresh()).map((key) => key.publicJwk),
    // A known key needs no database, so tokens are verified while it is away.
    keySource: async ({ kid, alg }) => {
      if (alg !== 'ES256') throw new errors.JOSEAlgNotAllowed('Access tokens are signed by ES256.')
      if (!find(kid) && now() - loadedAt >= unknownKeyReloadMs) await reload()
      const key = find(kid)
      if (!key) throw new errors.JWKSNoMatchingKey()
      return key.publicKey
    },
  }
}

/** Reads the keys, after making the next one and dropping retired ones where that is due. */
async function loadKeys(db: AuthDb, secret: string, now: number): Promise<LoadedKey[]> {
  const rows = await readSigningKeys(db)
  const isDue = nextStart(startsOf(rows), now) !== null || retiredCount(startsOf(rows), now) > 0
  return openKeys(isDue ? await renewKeys(db, secret, now) : rows, secret)
}

function renewKeys(db: AuthDb, secret: string, now: number): Promise<SigningKeyRow[]> {
  return db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const rows = await readSigningKeys(tx)
    const start = nextStart(startsOf(rows), now)
    if (start !== null) await insertSigningKey(tx, await generateKey(secret, start))
    const retired = rows.slice(0, retiredCount(startsOf(rows), now))
    await deleteSigningKeys(
      tx,
      retired.map((row) => row.kid),
    )
    return readSigningKeys(tx)
  })
}

const startsOf = (rows: readonly SigningKeyRow[]) => rows.map((row) => Date.parse(row.signs_from))

async function generateKey(secret: string, signsFrom: number) {
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

function openKeys(rows: readonly SigningKeyRow[], secret: string): Promise<LoadedKey[]> {
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

// Importing a JWK of kind EC never answers the bytes of a symmetric key.
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

const purposeOf = (kid: string) => `signing key ${kid}`
