import { errors, type CryptoKey, type JWTVerifyGetKey } from 'jose'
import type { AuthDb, PublicJwk } from '../../tables.ts'
import { nextStart, reloadMs, retiredCount, signerIndex } from './key-periods.ts'
import { generateKey, openKeys, type LoadedKey } from './sealed-key.ts'
import {
  deleteSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  readSigningKeys,
  type SigningKeyRow,
} from '../signing-key.queries.ts'

export interface Signer {
  kid: string
  key: CryptoKey
}

export interface KeyRing {
  /** The current signing key. Call it before a transaction: it may read the database. */
  signer: () => Promise<Signer>
  /** What the JWKS publishes: keys that will sign, that sign, and whose tokens are still valid. */
  publicKeys: () => Promise<PublicJwk[]>
  /** Finds the public key of a token for a verifier in this process. */
  keySource: JWTVerifyGetKey
}

// Made-up key ids, or an unreachable database, must not cause a stream of queries.
const retryMs = 5_000

export async function openKeyRing(db: AuthDb, secret: string, now: () => number): Promise<KeyRing> {
  let keys = await loadKeys(db, secret, now())
  let loadedAt = now()
  let triedAt = loadedAt
  let loading: Promise<void> | undefined

  const load = async () => {
    triedAt = now()
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
    const isStale = now() - loadedAt >= reloadMs
    // Without the database, keep using the known keys: the next one is published a day before it
    // signs.
    if (isStale && (loading || now() - triedAt >= retryMs)) await reload().catch(() => undefined)
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
    keySource: async ({ kid, alg }) => {
      if (alg !== 'ES256') throw new errors.JOSEAlgNotAllowed('Access tokens are signed by ES256.')
      // Here too: a server that signs nothing must notice a retired key.
      await fresh()
      if (!find(kid) && now() - triedAt >= retryMs) await reload()
      const key = find(kid)
      if (!key) throw new errors.JWKSNoMatchingKey()
      return key.publicKey
    },
  }
}

/** Reads the keys, after creating the next one and deleting expired ones if due. */
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
