import {
  commandsOf,
  CommandValueError,
  sessionCommands,
  type CommandValues,
  type SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'
import { parseCommand, type Command } from '@grove/secure-element/apdu'
import { readHex } from '@grove/secure-element/bytes'
import { logicalChannelOf } from '@grove/secure-element/class-byte'
import { DecodeError } from '@grove/secure-element/decode-error'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { assertOrdinary } from './command-gate.ts'
import type { LiveSession } from './element-session.ts'
import { onLogicalChannel } from './on-logical-channel.ts'
import { SessionError } from './session-error.ts'
import type { CommandRow } from './command-queue.queries.ts'

/** A request to a session. */
export type CommandInput =
  | {
      type: 'kind'
      kind: SessionCommandKind
      values: CommandValues
      logicalChannel?: number | undefined
    }
  | { type: 'raw'; command: string; isPlain: boolean; isSecret: boolean }
  | {
      type: 'channel'
      level: string
      keyVersion: number | undefined
      /** Missing in commands that a process of the previous release left. */
      credential?: string | null | undefined
      logicalChannel?: number | undefined
    }
  | { type: 'end' }

const success = 0x9000
const moreData = 0x6310

/**
 * Refuses what can never be sent, before anything is.
 * @throws ProblemError `invalid_request`, `keys_need_rotation` or `command_reserved`.
 */
export function checkInput(input: CommandInput): void {
  try {
    if (input.type === 'kind') {
      if ('guided' in sessionCommands[input.kind]) throw keysNeedRotation()
      assertOrdinary(commandsOf(input.kind, input.values))
    }
    if (input.type === 'raw') assertOrdinary(rawCommand(input.command))
  } catch (error) {
    if (error instanceof CommandValueError)
      throw invalidField(`values.${error.field}`, error.code, error.message)
    if (!(error instanceof DecodeError)) throw error
    const path = input.type === 'raw' ? 'command' : 'values'
    throw invalidField(path, error.code, error.message)
  }
}

const keysNeedRotation = () =>
  new ProblemError(
    'keys_need_rotation',
    'Keys cannot be sent by hand: a rotation stores the new keys first, so that none is lost.',
  )

function rawCommand(text: string): Uint8Array {
  const bytes = readHex(text)
  if (bytes.length < 4)
    throw new DecodeError('cutOff', 0, { expected: '4', found: `${bytes.length}` })
  return bytes
}

export type CommandResult = Omit<CommandRow, 'id' | 'sessionId' | 'askedBy'>

/** Runs it in the process that has the session. Each command is sent at most once. */
export async function runCommand(
  session: LiveSession,
  step: string,
  input: CommandInput,
): Promise<CommandResult> {
  const before = session.log.last()
  const seqs = () => {
    const last = session.log.last()
    return last === before
      ? { firstSeq: null, lastSeq: null }
      : { firstSeq: before + 1, lastSeq: last }
  }
  try {
    await perform(session, step, input)
    await session.flush()
    const result = { state: 'done', problem: null, ...seqs() } as const
    await session.readAgain()
    return result
  } catch (error) {
    await session.flush().catch(() => {})
    const problem = problemOf(error)
    const isLost = problem.code === 'transport_failed' || problem.code === 'power_lost'
    return { state: isLost ? 'unknown' : 'refused', problem, ...seqs() }
  }
}

async function perform(session: LiveSession, step: string, input: CommandInput): Promise<void> {
  switch (input.type) {
    case 'end':
      return session.end('ended')
    case 'channel': {
      const { level, keyVersion, credential, logicalChannel } = input
      await session.openChannel({
        level: Number.parseInt(level, 16) as SecurityLevel,
        keyVersion,
        credential,
        logicalChannel,
        step,
      })
      return
    }
    case 'raw':
      return sendRaw(session, step, input)
    case 'kind': {
      const own = onLogicalChannel(session, input.logicalChannel ?? 0)
      const { longestData = 255 } = own.channel() ?? {}
      const isSecret = sessionCommands[input.kind].isSecret(input.values)
      const commands = commandsOf(input.kind, input.values, { longestData })
      for (const command of commands) {
        const { statusWord } = await own.send(command, { step, isSecret })
        // Blocks that follow a refused one are not sent.
        if (statusWord !== success && statusWord !== moreData) return
      }
    }
  }
}

async function sendRaw(
  session: LiveSession,
  step: string,
  { command: text, isPlain, isSecret }: Extract<CommandInput, { type: 'raw' }>,
): Promise<void> {
  const bytes = rawCommand(text)
  const number = logicalChannelOf(bytes[0] ?? 0)
  const command = isPlain || !session.channel(number) ? undefined : parsed(bytes)
  if (command) await session.send(command, { step, isSecret })
  else await session.transmit(bytes, { step, isSecret })
}

/** Invalid commands are sent unchanged: to see how the card reacts. */
function parsed(bytes: Uint8Array): Command | undefined {
  try {
    return parseCommand(bytes)
  } catch {
    return undefined
  }
}

const problemOf = (error: unknown) =>
  error instanceof SessionError || error instanceof ProblemError
    ? { code: error.code, message: error.message }
    : { code: 'internal', message: 'The session failed because of a platform error.' }
