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
  /** `next` is public and will sign; `retired` signs no more and is public for the tokens it signed. */
  state: 'next' | 'signs' | 'retired'
  /** Milliseconds since the epoch. */
  signsFrom: number
  /** Until the next key signs; null where none is made yet. */
  signsUntil: number | null
  publicUntil: number | null
}

/** Every published key, the oldest first. */
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
 * Makes the key that signs next, public at once, or lets the one that is public already sign sooner.
 * A second call before it signs changes nothing, from another process too.
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
 * Drops a key at once, as when it was stolen; where it signs, another one signs from now on. Tokens
 * that it signed end at each verifier's next look at the keys.
 * @throws StartupError when there is no such key.
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
    // One that signed before stays retired: its time is over.
    if (key.state === 'signs') return { signer: await startKey(tx, secret, next?.kid, now) }
    return { signer: states.find(({ state }) => state === 'signs')?.kid ?? '' }
  })
}

/** One change at a time, and none under a secret by which the servers could not open the keys. */
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

/** Lets a key that is public sign from then on, or a new one where none waits. */
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
 * Seals everything anew that the platform's secret seals: signing keys, and the mails that wait. In
 * one transaction, so that the database opens with one of the two secrets. Returns how many there were.
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
