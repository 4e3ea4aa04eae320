import type { Calls } from '@grove/contract/calls'
import type { Exchange } from '@grove/contract/maple/card/session'
import type { ResponseOf } from '@grove/contract/call'
import { parseCommand } from '@grove/secure-element/apdu'
import { readHex } from '@grove/secure-element/bytes'
import { logicalChannelOf } from '@grove/secure-element/class-byte'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { SessionContext } from '../context.ts'
import type { ElementSession } from './element-session.ts'
import { openSession } from './open-session.ts'
import { SessionError } from './session-error.ts'
import { exchangesOf } from './session-export.ts'
import { readSession, sessionOf } from './session.service.ts'

type Replay = ResponseOf<Calls['POST /api/maple/sessions/se/{id}/replay']>

/** Maximum commands that one call replays. */
const maxCommands = 2000

/**
 * Repeats a session on a software card and stops at the first other status word.
 * @throws ProblemError `replay_needs_software_card`, or what opening a session refuses.
 */
export async function replaySession(
  context: SessionContext,
  actor: Actor,
  { id, cplc }: { id: string; cplc: string },
): Promise<Replay> {
  const original = await sessionOf(context, actor, id)
  const session = await openSession(context, actor, { cplc, purpose: 'replay', replayOf: id })
  const { transport } = await sessionOf(context, actor, session.id)
  if (transport !== 'virtual') {
    await session.end('finished')
    throw new ProblemError(
      'replay_needs_software_card',
      'The commands would change a real card. Choose a software card.',
    )
  }
  try {
    const result = { compared: 0, skipped: 0, difference: null as Replay['difference'] }
    for await (const exchange of exchangesOf(context, original)) {
      if (result.compared + result.skipped >= maxCommands || result.difference) break
      await repeat(session, exchange, result)
    }
    await session.end('finished')
    return { session: await readSession(context, actor, session), ...result }
  } finally {
    await session.end('finished')
  }
}

const initializeUpdate = 0x50
const externalAuthenticate = 0x82
const internalAuthenticate = 0x88
const getResponse = 0xc0
const controlReference = 0xa6
const levelOfScp11 = 0x33

/**
 * The level of the channel that a command opened, if it opened one: P1 of EXTERNAL AUTHENTICATE. With
 * key agreement (SCP11), P1 is the version of the card's key, and there is only one level.
 */
function levelOf([cla = 0, ins = 0, p1 = 0, , , tag = 0]: Uint8Array): number | undefined {
  const isAgreement = (cla & 0x8c) === 0x80 && tag === controlReference
  if (isAgreement && (ins === externalAuthenticate || ins === internalAuthenticate))
    return levelOfScp11
  return ins === externalAuthenticate ? p1 : undefined
}

/** The session fetches the rest of a long reply, and then has only the last status word. */
const isSame = (found: string | null, recorded: string | null) =>
  found === recorded || (found === '9000' && recorded?.startsWith('61') === true)

/** The original was not driven by a person, so its commands are not for one. */
const reserved = new Set<string>(['keys_need_rotation', 'command_reserved'])

async function repeat(
  session: ElementSession,
  { seq, command, redacted, statusWord, outcome }: Exchange,
  result: Omit<Replay, 'session'>,
): Promise<void> {
  if (command === null) return
  const bytes = readHex(command)
  const [, ins] = bytes
  // The session itself fetches the rest of a reply, and opens a channel with both commands.
  if (ins === getResponse || ins === initializeUpdate) return
  if (redacted || outcome === 'unknown') {
    result.skipped++
    return
  }
  const found = await statusOf(session, bytes, levelOf(bytes))
  if (found === 'refused') {
    result.skipped++
    return
  }
  result.compared++
  if (!isSame(found, statusWord)) result.difference = { seq, command, expected: statusWord, found }
}

async function statusOf(
  session: ElementSession,
  bytes: Uint8Array,
  level: number | undefined,
): Promise<string | null> {
  try {
    if (level !== undefined) {
      const logicalChannel = logicalChannelOf(bytes[0] ?? 0)
      await session.openChannel({ level: level as SecurityLevel, logicalChannel })
      return '9000'
    }
    const { statusWord } = await session.send(parseCommand(bytes))
    return statusWord.toString(16).toUpperCase().padStart(4, '0')
  } catch (error) {
    if (error instanceof ProblemError && reserved.has(error.code)) return 'refused'
    if (!(error instanceof SessionError)) throw error
    return error.statusWord?.toString(16).toUpperCase().padStart(4, '0') ?? null
  }
}
