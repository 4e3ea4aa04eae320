import { maxBatchBytes, maxBatchCommands } from '@grove/contract/maple/card/session.rules'
import {
  encodeCommand,
  parseResponse,
  type Command,
  type Response,
} from '@grove/secure-element/apdu'
import { commandIn } from '@grove/secure-element/command-class'
import { DecodeError } from '@grove/secure-element/decode-error'
import { statusWord } from '@grove/secure-element/status-word'
import { ProblemError } from '../../../../core/http/problem.ts'
import { isTurn, type CommandGate } from './command-gate.ts'
import { headerOf, isManageChannel, isSelect, numberOf } from './command-header.ts'
import type { SendOptions } from './element-session.ts'
import type { Planned, SessionLog } from './session-log.ts'

/** Commands that belong together, such as the blocks of a long STORE DATA. */
export interface BatchStep {
  /** In order; nothing is sent after a refused one. */
  commands: readonly (Command | Uint8Array)[]
  /** Redacts their data in the log. */
  isSecret?: boolean
}

export interface BatchOptions {
  /** Whether to skip the remaining steps after an error or a wrong PIN; default: true. */
  stopAtError?: boolean
  /** The command of a person that it belongs to. */
  step?: string | null
}

/** The parts of a session that its batches use. */
interface Parts {
  log: Pick<SessionLog, 'plan' | 'reach' | 'pace'>
  gate: Pick<CommandGate, 'assertBatch'>
  /** Reads the registry entries that decide whether a command may be sent. */
  askRegistry: (command: Command | Uint8Array) => Promise<void>
  send: (command: Command, options: SendOptions) => Promise<Response>
  transmit: (bytes: Uint8Array, options: SendOptions) => Promise<Uint8Array>
  /** Whether a secure channel currently protects a logical channel. */
  isProtected: (logicalChannel: number) => boolean
  assertLive: () => void
}

interface Sent {
  replies: Response[]
  /** A reply to bytes was malformed; the session continues. */
  problem?: DecodeError
}

/** Sends the commands of some steps within one turn of their session. */
export async function sendSteps(
  parts: Parts,
  steps: readonly BatchStep[],
  { stopAtError = true, step = null }: BatchOptions,
): Promise<Sent> {
  const { log, gate } = parts
  const commands = steps.flatMap((each) => each.commands)
  const planned = plannedOf(steps, { step, isProtected: parts.isProtected })
  assertShort(planned)
  for (const command of commands) {
    await parts.askRegistry(command)
    if (movesOn(command)) break
  }
  gate.assertBatch(steps)
  log.plan(planned)
  const replies: Response[] = []
  try {
    for (const [place, { commands: own, isSecret = false }] of steps.entries()) {
      log.reach(place)
      let last: Response | undefined
      for (const command of own) {
        await log.pace()
        parts.assertLive()
        last =
          command instanceof Uint8Array
            ? parseResponse(await parts.transmit(command, { step, isSecret }))
            : await parts.send(command, { step, isSecret })
        if (last.statusWord !== success && last.statusWord !== moreData) break
      }
      if (!last) continue
      replies.push(last)
      if (stopAtError && isRefusal(last.statusWord)) break
    }
    return { replies }
  } catch (error) {
    // For commands these are already errors of the session.
    if (error instanceof DecodeError) return { replies, problem: error }
    throw error
  } finally {
    log.reach()
  }
}

const success = 0x9000
const moreData = 0x6310

/** A failed verification counts although its status word is a warning: the next one may block a PIN. */
const isRefusal = (word: number): boolean =>
  word !== success &&
  (word === 0x6300 || (word & 0xfff0) === 0x63c0 || statusWord(word).kind === 'error')

/** Whether a command ends the channel's protection, or determines what later ones may do. */
const movesOn = (command: Command | Uint8Array): boolean => {
  const found = command instanceof Uint8Array ? commandIn(command) : command
  return found === undefined || isTurn(found)
}

/**
 * The commands as they will be sent: bytes and SELECT end the secure channel of their logical
 * channel.
 * @throws DecodeError
 */
function plannedOf(
  steps: readonly BatchStep[],
  { step, isProtected: isOpen }: { step: string | null } & Pick<Parts, 'isProtected'>,
): Planned[] {
  /** Logical channels whose secure channel has ended by then. */
  const ended = new Set<number>()
  return steps.flatMap(({ commands, isSecret = false }, place) =>
    commands.map((command) => {
      const header = headerOf(command)
      const number = numberOf(header)
      const isPast = isManageChannel(header)
      if (!isPast && (command instanceof Uint8Array || isSelect(header))) ended.add(number)
      const isProtected = !isPast && !ended.has(number) && isOpen(number)
      const bytes = command instanceof Uint8Array ? command : bytesOf(command, isProtected)
      return { place, step, isSecret, isProtected, bytes }
    }),
  )
}

const bytesOf = (command: Command, isProtected: boolean): Uint8Array =>
  encodeCommand({
    ...command,
    isExtended: command.isExtended || (isProtected && command.data.length > 0xff),
  })

function assertShort(planned: readonly Planned[]): void {
  const length = planned.reduce((sum, { bytes }) => sum + bytes.length, 0)
  if (planned.length > maxBatchCommands || length > maxBatchBytes)
    throw new ProblemError(
      'limit_reached',
      `A batch has at most ${maxBatchCommands} commands and ${maxBatchBytes} bytes.`,
    )
}
