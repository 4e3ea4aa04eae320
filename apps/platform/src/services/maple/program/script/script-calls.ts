import {
  commandsOf,
  CommandValueError,
  sessionCommandKinds,
  sessionCommands,
  type SessionCommandKind,
} from '@grove/secure-element/host/command-kinds'
import { maxBatchCommands, securityLevelTexts } from '@grove/contract/maple/card/session.rules'
import { parseResponse, type Response } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { maxLogicalChannel, onLogicalChannel } from '@grove/secure-element/class-byte'
import { DecodeError } from '@grove/secure-element/decode-error'
import type { SecurityLevel } from '@grove/secure-element/secure-channel/security-level'
import { statusWord } from '@grove/secure-element/status-word'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { CallError, type HostCall } from '../../../../core/sandbox/sandbox.ts'
import { installInSession } from '../../card/applet/install-in-session.ts'
import type { ProgramContext } from '../context.ts'
import type { SecretHandles } from '../secret/secret-handles.ts'
import { protocolOf, type ElementSession } from '../../card/session/element-session.ts'
import { visibleCredential } from '../../card/scp11/scp11.service.ts'
import { SessionError } from '../../card/session/session-error.ts'

const success = 0x9000
const moreData = 0x6310

/** Commands that no script may send, no matter who started it. */
const reserved = new Set<string>(['keys_need_rotation', 'command_reserved'])

/** The script's `se` object: the calls of its session. */
export function sessionCalls(
  context: ProgramContext,
  actor: Actor,
  session: ElementSession,
  handles: SecretHandles,
): Record<string, HostCall> {
  const assertRight = (right: string, what: string) => {
    if (!actor.mandate?.rights.includes(right))
      throw new CallError(
        'PermissionError',
        `${what} needs the right ${right}, which the person who started the script does not have.`,
      )
  }

  const calls: Record<string, HostCall> = {
    'se.select': async (aid, options) => {
      if (aid !== undefined && aid !== null && typeof aid !== 'string')
        throw new CallError('TypeError', 'The AID is not a text in hex.')
      const logicalChannel = logicalChannelIn(objectOf(options ?? {}))
      return replyOf(await session.select(aid ?? undefined, { logicalChannel }), handles)
    },
    'se.open': async (given) => {
      const { scp, level = '03', keyset, credential: asked, ...more } = objectOf(given ?? {})
      if (asked !== undefined && typeof asked !== 'string')
        throw new CallError('TypeError', 'Give the name of the credentials as a text.')
      const credential =
        asked === undefined
          ? undefined
          : await visibleCredential(context.db, actor, { id: asked, cplc: session.cplc })
      const channel = await session.openChannel({
        level: levelOf(level),
        ...(keyset !== undefined && { keyVersion: keyVersionOf(keyset) }),
        credential: credential?.id,
        logicalChannel: logicalChannelIn(more),
      })
      const { keyVersion, longestData } = channel
      const protocol = protocolOf(channel)
      if (typeof scp === 'string' && scp !== protocol)
        throw new CallError('ChannelError', `The card opened ${protocol}, not ${scp}.`)
      return { protocol, keyVersion, longestData }
    },
    'se.send': async (given) => {
      const { commands, isSecret } = stepOf(given, session, handles)
      let last: Response | undefined
      for (const command of commands) {
        last = await session.send(command, { isSecret })
        // Blocks that follow a refused one are not sent.
        if (last.statusWord !== success && last.statusWord !== moreData) break
      }
      return last && replyOf(last, handles)
    },
    'se.transmit': async (hex) => {
      assertRight('session.raw', 'se.transmit')
      return replyOf(parseResponse(await session.transmit(bytesOf(hex))), handles)
    },
    'se.batch': async (given, options) => {
      if (!Array.isArray(given) || given.length === 0)
        throw new CallError('TypeError', 'Give a list of commands.')
      if (given.length > maxBatchCommands)
        throw new CallError('RangeError', `A batch has at most ${maxBatchCommands} commands.`)
      const { stopAtError = true } = objectOf(options ?? {})
      if (typeof stopAtError !== 'boolean')
        throw new CallError('TypeError', 'stopAtError is true or false.')
      if (given.some((each) => typeof each === 'string'))
        assertRight('session.raw', 'se.batch of bytes')
      const steps = given.map((each: unknown, index) =>
        withNumber(index, handles, () =>
          typeof each === 'string' ? { commands: [bytesOf(each)] } : stepOf(each, session, handles),
        ),
      )
      const replies = await session.sendBatch(steps, { stopAtError })
      return replies.map((each) => replyOf(each, handles))
    },
    'se.install': async (appletId, options) => {
      assertRight('applet.change', 'se.install')
      if (typeof appletId !== 'string')
        throw new CallError('TypeError', 'Name the applet by its id.')
      const { instances } = objectOf(options ?? {})
      return installInSession(context, actor, session, { appletId, instances })
    },
  }
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [name, withWords(name, call, handles)]),
  )
}

/** Creates the commands of a kind, filling in secrets. */
function stepOf(given: unknown, session: ElementSession, handles: SecretHandles) {
  const { kind, logicalChannel: _, ...values } = objectOf(given)
  const logicalChannel = logicalChannelIn(objectOf(given))
  if (!isKind(kind))
    throw new CallError(
      'TypeError',
      `There is no kind ${String(kind)}. There are: ${sessionCommandKinds.join(', ')}.`,
    )
  if ('guided' in sessionCommands[kind]) throw keysNeedRotation()
  const { longestData = 255 } = session.channel(logicalChannel) ?? {}
  const opened = withSecrets(kind, values, handles)
  const isSecret = opened !== values || sessionCommands[kind].isSecret(values)
  const commands = commandsOf(kind, opened, { longestData }).map((command) => ({
    ...command,
    cla: onLogicalChannel(command.cla, logicalChannel),
  }))
  if (commands.length === 0) throw new CallError('TypeError', `${kind} sends no command.`)
  return { commands, isSecret }
}

function bytesOf(hex: unknown): Uint8Array {
  if (typeof hex !== 'string') throw new CallError('TypeError', 'The command is not a text in hex.')
  const bytes = readHex(hex)
  if (bytes.length < 4) throw new CallError('TypeError', 'A command has four bytes or more.')
  return bytes
}

/** Adds the number of the faulty command of a batch. */
function withNumber<Step>(index: number, { hidden }: SecretHandles, work: () => Step): Step {
  const say = (message: string) => `Command ${index + 1}: ${message}`
  try {
    return work()
  } catch (error) {
    if (error instanceof CallError) throw new CallError(error.name, say(error.message))
    if (error instanceof CommandValueError || error instanceof DecodeError)
      throw new CallError('TypeError', hidden(say(`${error.message}.`)))
    throw error
  }
}

/** Failures that a script can see; others stay inside the platform. */
const withWords =
  (name: string, call: HostCall, { hidden }: SecretHandles): HostCall =>
  async (...args) => {
    try {
      return await call(...args)
    } catch (error) {
      if (error instanceof SessionError)
        throw new CallError('SessionError', error.message, {
          code: error.code,
          ...(error.statusWord !== undefined && { sw: error.statusWord }),
        })
      if (error instanceof ProblemError)
        throw new CallError(
          reserved.has(error.code) ? 'PermissionError' : 'ProblemError',
          error.message,
          {
            code: error.code,
          },
        )
      if (error instanceof CommandValueError || error instanceof DecodeError)
        throw new CallError('TypeError', hidden(`${name}: ${error.message}.`))
      throw error
    }
  }

/** If a card echoes a secret, the script gets its name instead. */
function replyOf({ statusWord: sw, data }: Response, { hidden }: SecretHandles) {
  const { code, name } = statusWord(sw)
  return { sw, status: code, meaning: name, data: hidden(toHex(data)) }
}

/**
 * The values including secrets, which only STORE DATA may contain: its data is redacted in the log.
 */
function withSecrets(
  kind: SessionCommandKind,
  values: Record<string, unknown>,
  { areNone, isIn, opened }: SecretHandles,
): Record<string, unknown> {
  if (areNone() || !isIn(JSON.stringify(values))) return values
  const { data, ...others } = values
  if (kind !== 'MplStoreData' || typeof data !== 'string' || isIn(JSON.stringify(others)))
    throw new CallError('SecretError', 'A secret can only be used in the data of MplStoreData.')
  return { ...others, data: opened(data) }
}

function objectOf(given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new CallError('TypeError', 'Give an object, such as { kind: "MplGetStatus" }.')
  return { ...given }
}

/** 0 to 3; default: the basic one. */
function logicalChannelIn({ logicalChannel = 0 }: Record<string, unknown>): number {
  const isKnown =
    typeof logicalChannel === 'number' &&
    Number.isInteger(logicalChannel) &&
    logicalChannel >= 0 &&
    logicalChannel <= maxLogicalChannel
  if (!isKnown) throw new CallError('RangeError', 'A logical channel is a number from 0 to 3.')
  return logicalChannel
}

const isKind = (kind: unknown): kind is SessionCommandKind =>
  (sessionCommandKinds as readonly unknown[]).includes(kind)

/** As P1 of EXTERNAL AUTHENTICATE, in hex or as a number: `'33'` and `0x33` are the same. */
function levelOf(given: unknown): SecurityLevel {
  const text =
    typeof given === 'number' ? given.toString(16).padStart(2, '0') : String(given).padStart(2, '0')
  if (!(securityLevelTexts as readonly string[]).includes(text))
    throw new CallError(
      'RangeError',
      `There is no level ${text}. There are: ${securityLevelTexts.join(', ')}.`,
    )
  return Number.parseInt(text, 16) as SecurityLevel
}

function keyVersionOf(given: unknown): number {
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given > 255)
    throw new CallError('RangeError', 'A key set is a number from 1 to 127.')
  return given
}

const keysNeedRotation = () =>
  new CallError(
    'PermissionError',
    'A script cannot send keys: a rotation stores the new keys first, so that none is lost.',
  )
