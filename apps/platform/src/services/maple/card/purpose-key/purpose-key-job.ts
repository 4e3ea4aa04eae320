import { parseKeyInformation } from '@grove/secure-element/key-information'
import { DecodeError } from '@grove/secure-element/decode-error'
import { putPublicKey } from '@grove/secure-element/host/delegation'
import { getData } from '@grove/secure-element/host/commands'
import { putKey } from '@grove/secure-element/host/put-key'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { Command } from '@grove/secure-element/apdu'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { rotationCauses } from '@grove/contract/maple/card/key.rules'
import { isOpenPurposeKey } from '@grove/contract/maple/card/purpose-key.rules'
import { ProblemError } from '../../../../core/http/problem.ts'
import { JobError, type JobDefinition } from '../../../../core/jobs/define-jobs.ts'
import { purposeKeyEvents as events } from '../context.ts'
import { algorithmOf } from '../key/key-source.ts'
import { requestActor } from '../key/request-actor.ts'
import type { RotationContext } from '../key/rotate.ts'
import { withSession } from '../session/open-session.ts'
import { selectDomain } from '../session/select-domain.ts'
import { SessionError } from '../session/session-error.ts'
import { publicPart } from './key-material.ts'
import {
  activatePurposeKey,
  findPurposeKey,
  setPurposeKeyState,
  type PurposeKeyEnd,
  type StoredPurposeKey,
} from './purpose-key.queries.ts'

/** C-MAC and C-ENC: what every card with SCP02 or SCP03 offers. */
const level = 0x03
const keyId = 1

/**
 * Sends a key with a purpose. The channel's keys do not change, so after an interruption the same key
 * is sent again and replaces itself.
 */
export const purposeKeyJob: JobDefinition<RotationContext, { id: string }> = {
  maxAttempts: 6,
  async run(context, { id }) {
    const key = await findPurposeKey(context.db, id)
    if (key && isOpenPurposeKey(key.state)) await send(context, key)
  },
}

async function send(context: RotationContext, key: StoredPurposeKey): Promise<void> {
  const { db } = context
  const { id, cplc, domain, createdBy } = key
  const actor = requestActor(createdBy, id)
  let isSent = key.state === 'sending'
  try {
    await withSession(context, actor, { cplc, purpose: 'keys' }, async (session) => {
      await selectDomain(session, domain)
      const channel = await session.openChannel({ level })
      const command = await commandFor(context, key, channel)
      // It may have been deleted meanwhile.
      if (!(await setPurposeKeyState(db, id, 'sending')))
        throw new NotTaken({ note: 'The key is gone.', cause: 'keys_gone' })
      isSent = true
      const { data, statusWord } = await session.send(command, { isSecret: true })
      if (statusWord !== 0x9000) throw new NotTaken(refusedWith(statusWord))
      assertCheckValue(key, data)
    })
  } catch (error) {
    const end = error instanceof NotTaken ? error.end : endOf(error)
    // The other session ends eventually.
    const isFinal = error instanceof NotTaken || (!isSent && end.cause !== 'lease_held')
    if (isFinal) await setPurposeKeyState(db, id, isSent ? 'refused' : 'failed', end)
    throw new JobError(isFinal ? 'not_sent' : 'internal', end.note, { isFinal })
  }
  await db.transaction().execute(async (tx) => {
    if (!(await activatePurposeKey(tx, key))) return
    await events.record(tx, actor, 'purpose_key.active', cplc, {
      after: { id, domain, purpose: key.purpose, kind: key.kind },
    })
  })
}

/** The card does not have the key, for a reason that a repetition would not change. */
class NotTaken extends Error {
  override readonly name = 'NotTaken'
  readonly end: PurposeKeyEnd
  constructor(end: PurposeKeyEnd) {
    super(end.note)
    this.end = end
  }
}

function refusedWith(statusWord: number): PurposeKeyEnd {
  const word = statusWord.toString(16).toUpperCase().padStart(4, '0')
  return { note: `The card refused the key with ${word}.`, cause: 'card_refused', statusWord: word }
}

async function commandFor(
  { keys: { vault } }: RotationContext,
  { id, kind, version, sealed, publicKey }: StoredPurposeKey,
  channel: SecureChannel,
): Promise<Command> {
  const replaces = (await hasVersion(channel, version)) ? version : 0
  if (publicKey !== null)
    return putPublicKey({ version, replaces, id: keyId, key: publicPart(publicKey) })
  const algorithm = algorithmOf(channel.protocol)
  if (kind !== algorithm)
    throw new NotTaken({
      note: `The card opened the channel with ${channel.protocol}, through which ${kind} keys do not pass. Choose ${algorithm}.`,
      cause: 'other_protocol',
    })
  if (!sealed) throw new NotTaken({ note: 'The key is gone.', cause: 'keys_gone' })
  const value = readHex(await vault.openText(sealed, id))
  try {
    const keys = await channel.encryptKeys([{ algorithm, value }])
    return putKey({ version, replaces, firstId: keyId, keys })
  } finally {
    value.fill(0)
  }
}

/** Whether the domain lists keys of a version. */
async function hasVersion(channel: SecureChannel, version: number): Promise<boolean> {
  const { data, statusWord } = await channel.send(getData({ tag: 'E0' }))
  if (statusWord !== 0x9000) return false
  try {
    return parseKeyInformation(data).some((each) => each.version === version)
  } catch (error) {
    if (error instanceof DecodeError) return false
    throw error
  }
}

/** The reply repeats the version, and the check value of a secret key. */
function assertCheckValue({ checkValue, version }: StoredPurposeKey, reply: Uint8Array): void {
  if (checkValue === null || reply.length <= 1) return
  const expected = version.toString(16).toUpperCase() + checkValue
  if (toHex(reply) === expected) return
  throw new NotTaken({
    note: 'The card returned another check value, so it has another key.',
    cause: 'other_check_values',
  })
}

/** Messages of errors meant for people; others could repeat a command. */
function endOf(error: unknown): PurposeKeyEnd {
  if (!(error instanceof SessionError || error instanceof ProblemError))
    return { note: 'The card could not be reached.', cause: 'card_unreachable' }
  const cause = rotationCauses.find((each) => each === error.code) ?? 'card_unreachable'
  return { note: error.message, cause }
}
