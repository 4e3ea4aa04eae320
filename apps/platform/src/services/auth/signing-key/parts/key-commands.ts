import { processActor } from '../../../../core/actor.ts'
import { StartupError } from '../../../../core/startup-error.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import { record } from '../../context.ts'
import { mailPurpose } from '../../email/mail-job.ts'
import type { AuthDb } from '../../tables.ts'
import { retainedAfter, rotatedBefore, signerIndex } from './key-periods.ts'
import { generateKey, openKeys, resealKey } from './sealed-key.ts'
import {
  deleteSigningKeys,
  hasSigningKeys,
  insertSigningKey,
  lockSigningKeys,
  readSealedInputs,
  readSigningKeys,
  setSealedInput,
  setSealedKey,
  setSigningStart,
  type SigningKeyRow,
} from '../signing-key.queries.ts'

export interface KeyState {
  kid: string
  /**
   * `next` is published and will sign; `retired` no longer signs, but stays published for the tokens
   * that it signed.
   */
  state: 'next' | 'signs' | 'retired'
  /** Milliseconds since the epoch. */
  signsFrom: number
  /** Until the next key signs; null if there is none yet. */
  signsUntil: number | null
  publicUntil: number | null
}

/** Every published key, oldest first. */
export async function listKeys(db: AuthDb, now: number): Promise<KeyState[]> {
  if (!(await hasSigningKeys(db))) throw noKeys()
  return statesOf(await readSigningKeys(db), now)
}

function statesOf(rows: readonly SigningKeyRow[], now: number): KeyState[] {
  const starts = rows.map((row) => Date.parse(row.signs_from))
  const signer = signerIndex(starts, now)
  return rows.map(({ kid }, index) => {
    const signsUntil = starts[index + 1] ?? null
    return {
      kid,
      state: index === signer ? 'signs' : index < signer ? 'retired' : 'next',
      signsFrom: starts[index] ?? now,
      signsUntil,
      publicUntil: signsUntil === null ? null : signsUntil + retainedAfter,
    }
  })
}

/**
 * Creates and publishes the key that signs next, or lets the one already published sign sooner.
 * Idempotent until it signs, also across processes.
 */
export function rotateKeys(
  db: AuthDb,
  secret: string,
  now: number,
): Promise<{ kid: string; signsFrom: number; isChanged: boolean }> {
  return changeKeys(db, secret, now, async (tx, states) => {
    const next = states.find(({ state }) => state === 'next')
    const signsFrom = now + rotatedBefore
    if (next && next.signsFrom <= signsFrom) return { ...next, isChanged: false }
    const kid = await startKey(tx, secret, next?.kid, signsFrom)
    await record(tx, commandActor, 'key.rotate', kid, {
      after: { signsFrom: new Date(signsFrom).toISOString() },
    })
    return { kid, signsFrom, isChanged: true }
  })
}

/**
 * Removes a key immediately, for instance after a leak; if it is the signing key, another one
 * replaces it. Tokens that it signed are rejected after each verifier's next refetch of the keys.
 * @throws StartupError if there is no such key.
 */
export function retireKey(
  db: AuthDb,
  secret: string,
  kid: string,
  now: number,
): Promise<{ signer: string }> {
  return changeKeys(db, secret, now, async (tx, states) => {
    const key = states.find((state) => state.kid === kid)
    if (!key) throw new StartupError(`There is no key ${kid}. Published now: ${listOf(states)}.`)
    await deleteSigningKeys(tx, [kid])
    await record(tx, commandActor, 'key.retire', kid, { after: { state: key.state } })
    const next = states.find(({ state }) => state === 'next')
    // One that signed before stays retired.
    if (key.state === 'signs') return { signer: await startKey(tx, secret, next?.kid, now) }
    return { signer: states.find(({ state }) => state === 'signs')?.kid ?? '' }
  })
}

/** One change at a time, and none with a secret that cannot decrypt the servers' keys. */
function changeKeys<T>(
  db: AuthDb,
  secret: string,
  now: number,
  change: (tx: AuthDb, states: KeyState[]) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    if (!(await hasSigningKeys(tx))) throw noKeys()
    await lockSigningKeys(tx)
    const rows = await readSigningKeys(tx)
    await openKeys(rows, secret)
    return change(tx, statesOf(rows, now))
  })
}

/** Lets a published key sign from then on, or a new one if there is none. */
async function startKey(
  tx: AuthDb,
  secret: string,
  waiting: string | undefined,
  signsFrom: number,
): Promise<string> {
  if (waiting !== undefined) {
    await setSigningStart(tx, waiting, new Date(signsFrom).toISOString())
    return waiting
  }
  const key = await generateKey(secret, signsFrom)
  await insertSigningKey(tx, key)
  return key.kid
}

const commandActor = processActor('grove keys')

const listOf = (states: readonly KeyState[]) => states.map(({ kid }) => kid).join(', ') || 'none'

const noKeys = () =>
  new StartupError('This database has no keys yet: the first start of the server makes one.')

/**
 * Re-encrypts everything that the platform's secret encrypts: signing keys, and queued mails. In one
 * transaction, so that one secret always decrypts the whole database. Returns the number of items.
 */
export async function resealSecrets(
  db: AuthDb,
  { secret, next, now }: { secret: string; next: string; now: number },
): Promise<number> {
  if (!(await hasSigningKeys(db))) throw noKeys()
  return db.transaction().execute(async (tx) => {
    await lockSigningKeys(tx)
    const keys = await readSigningKeys(tx)
    for (const key of keys) await setSealedKey(tx, key.kid, resealKey(key, secret, next))
    const inputs = await readSealedInputs(tx)
    for (const { id, sealed } of inputs)
      await setSealedInput(tx, id, seal(unseal(sealed, secret, mailPurpose), next, mailPurpose))
    const after = { keys: keys.length, mails: inputs.length, at: new Date(now).toISOString() }
    await record(tx, processActor('npm run keys'), 'key.reseal', 'secret', { after })
    return keys.length + inputs.length
  })
}
