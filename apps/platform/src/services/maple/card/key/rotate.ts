import { rotationCauses, type RotationStep } from '@grove/contract/maple/card/key.rules'
import { checkPutKeyReply, putKey, type KeyBlock } from '@grove/secure-element/host/put-key'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { JobError } from '../../../../core/jobs/define-jobs.ts'
import { everything } from '../../../../core/scope.ts'
import { keyEvents as events, type SessionContext } from '../context.ts'
import { record } from '../../fleet/context.ts'
import { changeElement, findElement, lockElement } from '../../fleet/element/element.queries.ts'
import type { ElementSession } from '../session/element-session.ts'
import { withSession } from '../session/open-session.ts'
import { selectDomain } from '../session/select-domain.ts'
import { SessionError } from '../session/session-error.ts'
import type { MapleDb } from '../../base/tables.ts'
import { forgetLabel } from './hsm-leftovers.ts'
import type { KeyContext } from './key-provider.ts'
import {
  findSet,
  insertKeySet,
  retireSet,
  setsOf,
  setState,
  type AddedSet,
  type StoredKeySet,
} from './key.queries.ts'
import { algorithmOf, keySourceFor } from './key-source.ts'
import { newKeys, NoNewKeys } from './new-keys.ts'
import {
  findRotation,
  writeStep,
  type RotationFacts,
  type RotationNote,
} from './rotation.queries.ts'

export type RotationContext = KeyContext & SessionContext

/** C-MAC and C-ENC: what every card with SCP02 or SCP03 offers. */
const level = 0x03
const notFound = 0x6a88
/** The steps at which the card may have either keys. */
const beforeVerified: readonly RotationStep[] = ['sending', 'sent', 'unknown']

/**
 * Rotates the keys of a card. Each step is stored before its action, so that an interrupted run
 * continues without sending PUT KEY again: it finds out which keys the card has.
 */
export async function rotate(context: RotationContext, actor: Actor, id: string): Promise<void> {
  const rotation = await rotationOf(context.db, id)
  if (rotation.step === 'asked') await putNewKeys(context, actor, rotation)
  const { step } = await rotationOf(context.db, id)
  if (beforeVerified.includes(step)) await verify(context, actor, id)
}

async function rotationOf(db: MapleDb, id: string): Promise<RotationFacts> {
  const found = await findRotation(db, id)
  if (!found) throw new JobError('not_found', 'The element was deleted.', { isFinal: true })
  return found
}

const stepAt = ({ now }: Pick<RotationContext, 'now'>) => new Date(now()).toISOString()

async function putNewKeys(
  context: RotationContext,
  actor: Actor,
  rotation: RotationFacts,
): Promise<void> {
  const { id, cplc, domain, oldVersion, newVersion, oldSet } = rotation
  const { db } = context
  const old = (await setsOf(db, cplc, ['active'])).find((set) => set.id === oldSet)
  if (oldSet !== null && !old)
    throw await failed(context, rotation, {
      note: 'The keys to replace are no longer in use.',
      cause: 'keys_gone',
    })
  let isSent = false
  try {
    await inSession(context, actor, cplc, async (session) => {
      await selectDomain(session, domain)
      const channel = await session.openChannel({
        level,
        ...(oldVersion !== null && { keyVersion: oldVersion }),
      })
      const { set, added, keys } = await newKeys(context, rotation, { old, channel })
      try {
        const blocks = await channel.encryptKeys(keysOf(keys, channel))
        await writeSending(context, { id, newSet: set.id }, added)
        isSent = true
        await send(context, { id, newSet: set.id, oldVersion, newVersion }, session, blocks)
      } finally {
        for (const key of [keys.enc, keys.mac, keys.dek]) key.fill(0)
        const label = set.kept.hsmLabel
        if (label && !isSent) await forgetLabel(context, label)
      }
    })
  } catch (error) {
    if (error instanceof JobError) throw error
    if (isSent) {
      const note = noteOf(error, { note: 'The session failed.', cause: 'internal' })
      await writeStep(db, id, { step: 'unknown', from: beforeVerified, at: stepAt(context), note })
      return
    }
    const { state } = (await findElement(db, cplc, everything)) ?? {}
    const step = state === 'blocked' ? 'blocked' : 'failed'
    throw await failed(context, rotation, noteOf(error), { step })
  }
}

const keysOf = ({ enc, mac, dek }: KeySet, { protocol }: SecureChannel) =>
  [enc, mac, dek].map((value) => ({ algorithm: algorithmOf(protocol), value }))

/** From here on the card may have the new keys. */
function writeSending(
  context: RotationContext,
  { id, newSet }: { id: string; newSet: string },
  added: AddedSet | undefined,
): Promise<void> {
  return context.db.transaction().execute(async (tx) => {
    if (added) await insertKeySet(tx, added)
    const step = { step: 'sending', from: ['asked'], at: stepAt(context) } as const
    if (await writeStep(tx, id, { ...step, newSet })) return
    throw new JobError('rotation_running', 'Another run of this job is ahead.', { isFinal: true })
  })
}

interface Sending {
  id: string
  newSet: string
  oldVersion: number | null
  newVersion: number
}

/** PUT KEY, once. */
async function send(
  context: RotationContext,
  { id, newSet, oldVersion, newVersion }: Sending,
  session: ElementSession,
  blocks: readonly KeyBlock[],
): Promise<void> {
  // A chip's initial keys have version FF, and new ones are added beside them.
  const replaces = oldVersion === 0xff ? 0 : (oldVersion ?? 0)
  const command = putKey({ version: newVersion, replaces, keys: blocks })
  const { data, statusWord } = await session.send(command, { isSecret: true })
  const at = stepAt(context)
  const from = ['sending'] as const
  if (statusWord === 0x9000) {
    const { kind } = checkPutKeyReply(data, newVersion, blocks)
    const note: RotationNote = {
      note: 'The card returned other check values.',
      cause: 'other_check_values',
    }
    await writeStep(context.db, id, {
      step: 'sent',
      from,
      at,
      ...(kind === 'different' && { note }),
    })
    return
  }
  const word = statusWord.toString(16).toUpperCase().padStart(4, '0')
  const note: RotationNote = {
    note: `The card refused the new keys with ${word}.${oldVersion === null ? '' : ' It keeps the old ones.'}`,
    cause: 'card_refused',
    statusWord: word,
  }
  await drop(context, newSet, (tx) => writeStep(tx, id, { step: 'refused', from, at, note }))
  throw new JobError('refused', note.note, { isFinal: true })
}

/** Authenticates once, with whichever keys the card has, and stores which those are. */
async function verify(context: RotationContext, actor: Actor, id: string): Promise<void> {
  const { db } = context
  const rotation = await rotationOf(db, id)
  const { cplc, domain, oldVersion, newVersion, oldSet, newSet, custody } = rotation
  if (newSet === null) throw new Error(`rotation ${id} was sent without a new key set`)
  let chosen: StoredKeySet | undefined
  const onChosen = (set: StoredKeySet) => void (chosen = set)
  const open = async (session: ElementSession, keyVersion: number) =>
    session.openChannel({
      level,
      keyVersion,
      keys: await keySourceFor(context, { cplc, domain, keyVersion, onChosen }),
    })
  try {
    await inSession(context, actor, cplc, async (session) => {
      await selectDomain(session, domain)
      await open(session, newVersion).catch((error: unknown) => {
        // The card does not know the new version, so it has the old one, or none in this domain.
        const isOther = error instanceof SessionError && error.statusWord === notFound
        if (!isOther || oldVersion === newVersion) throw error
        return open(session, oldVersion ?? 0)
      })
    })
  } catch (error) {
    const { state } = (await findElement(db, cplc, everything)) ?? {}
    if (state === 'blocked')
      throw await failed(context, rotation, noteOf(error), {
        step: 'blocked',
        from: beforeVerified,
      })
    const why = noteOf(error)
    const note = { ...why, note: `${why.note} It is unknown which keys the card has.` }
    await writeStep(db, id, { step: 'unknown', from: beforeVerified, at: stepAt(context), note })
    throw new JobError('card_unreachable', note.note, { isFinal: true, cause: error })
  }
  const at = stepAt(context)
  const from = beforeVerified
  if (chosen?.id !== newSet) {
    const note: RotationNote =
      oldVersion === null
        ? { note: 'The domain has no keys of its own.', cause: 'no_keys_yet' }
        : { note: 'The card has the old keys.', cause: 'old_keys' }
    await drop(context, newSet, async (tx) => {
      if (!(await writeStep(tx, id, { step: 'rolledBack', from, at, note }))) return false
      await events.record(tx, actor, 'key_set.rollback', cplc, {
        after: { rotation: id, version: oldVersion, ...(domain && { domain }) },
      })
      return true
    })
    throw new JobError('rolled_back', `${note.note} Rotate again.`, { isFinal: true })
  }
  const replaced = await db.transaction().execute(async (tx) => {
    const before = await lockElement(tx, cplc, everything)
    if (!(await writeStep(tx, id, { step: 'committed', from, at }))) return undefined
    const old = oldSet === null ? undefined : await findSet(tx, oldSet)
    // The vault keeps old keys, to recognise a card that was reset. An HSM has no room for them, and
    // what moved into one must not be found outside.
    const isKept = custody === 'vault' && old?.custody === 'vault'
    if (oldSet !== null) await (isKept ? setState(tx, oldSet, 'old') : retireSet(tx, oldSet))
    await setState(tx, newSet, 'active')
    await events.record(tx, actor, 'key_set.rotate', cplc, {
      before: { version: oldVersion, custody: old?.custody },
      after: { version: newVersion, custody, ...(domain && { domain }) },
    })
    const hsm = custody === 'hsm'
    const isMixed = (await setsOf(tx, cplc, ['active'])).some((set) => set.custody !== custody)
    if (!before || before.hsm === hsm || isMixed) return old
    await changeElement(tx, cplc, { hsm })
    const after = await findElement(tx, cplc, everything)
    await record(tx, actor, 'element.hsm', cplc, { before, after })
    return old
  })
  if (replaced?.hsmLabel) await forgetLabel(context, replaced.hsmLabel)
}

/** Retires keys that the card does not have, unless another run was ahead. */
async function drop(
  context: RotationContext,
  id: string,
  also: (tx: MapleDb) => Promise<boolean>,
): Promise<void> {
  const { db } = context
  const set = await findSet(db, id)
  const isDropped = await db.transaction().execute(async (tx) => {
    const isFirst = await also(tx)
    if (isFirst) await retireSet(tx, id)
    return isFirst
  })
  if (isDropped && set?.hsmLabel) await forgetLabel(context, set.hsmLabel)
}

async function failed(
  context: RotationContext,
  { id, newSet }: Pick<RotationFacts, 'id' | 'newSet'>,
  note: RotationNote,
  {
    step = 'failed',
    from = ['asked'],
  }: { step?: 'failed' | 'blocked'; from?: readonly RotationStep[] } = {},
): Promise<JobError> {
  const write = (db: MapleDb) => writeStep(db, id, { step, from, at: stepAt(context), note })
  // Given keys that were never sent.
  await (newSet !== null && from.includes('asked')
    ? drop(context, newSet, write)
    : write(context.db))
  return new JobError(step === 'blocked' ? 'wrong_keys' : 'not_sent', note.note, { isFinal: true })
}

/** Messages of errors meant for people; others could repeat a command. */
function noteOf(
  error: unknown,
  other: RotationNote = { note: 'The card could not be reached.', cause: 'card_unreachable' },
): RotationNote {
  if (error instanceof NoNewKeys) return { note: error.message, cause: error.why }
  if (!(error instanceof SessionError || error instanceof ProblemError)) return other
  const cause = rotationCauses.find((each) => each === error.code) ?? other.cause
  return { note: error.message, cause }
}

const inSession = (
  context: RotationContext,
  actor: Actor,
  cplc: string,
  work: (session: ElementSession) => Promise<void>,
) => withSession(context, actor, { cplc, purpose: 'keys' }, work)
