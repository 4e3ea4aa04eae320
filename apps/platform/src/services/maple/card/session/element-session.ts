import { setTimeout as wait } from 'node:timers/promises'
import type { ElementSession as SessionFact } from '@grove/contract/maple/card/session'
import type { KeyMismatch } from '@grove/contract/maple/card/key'
import type { SessionEnd, SessionPurpose } from '@grove/contract/maple/card/session.rules'
import {
  encodeCommand,
  encodeResponse,
  parseResponse,
  type Command,
  type Response,
} from '@grove/secure-element/apdu'
import { isIssuerAid } from '@grove/secure-element/aid'
import { toHex } from '@grove/secure-element/bytes'
import { managedChannel } from '@grove/secure-element/card-places'
import { maxLogicalChannel, onLogicalChannel as numbered } from '@grove/secure-element/class-byte'
import { commandIn, type KnownApplication } from '@grove/secure-element/command-class'
import { DecodeError } from '@grove/secure-element/decode-error'
import { CommandError } from '@grove/secure-element/host/command-error'
import { select, type StatusSubset } from '@grove/secure-element/host/commands'
import { logicalChannel as transportOf } from '@grove/secure-element/host/logical-channel'
import { readRegistry } from '@grove/secure-element/host/run'
import { exchange, type SeTransport } from '@grove/secure-element/host/transport'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import { ChannelError } from '@grove/secure-element/secure-channel/channel-error'
import {
  openSecureChannel,
  type OpenOptions,
} from '@grove/secure-element/secure-channel/open-channel'
import {
  recognisedChannels,
  type RecognisedChannel,
} from '@grove/secure-element/secure-channel/recognition'
import {
  openScp11Channel,
  type OpenScp11Options,
} from '@grove/secure-element/secure-channel/open-scp11'
import { CertificateError } from '@grove/secure-element/secure-channel/verify-certificates'
import { scp02Options } from '@grove/secure-element/secure-channel/scp02-options'
import type { KeySource } from '@grove/secure-element/secure-channel/key-source'
import {
  implementations,
  macLengthOf,
  type SecurityLevel,
} from '@grove/secure-element/secure-channel/security-level'
import { ProblemError } from '../../../../core/http/problem.ts'
import { wordsOfMismatch } from '../key/mismatch-words.ts'
import { commandGate } from './command-gate.ts'
import { headerOf, isManageChannel, isSelect, numberOf } from './command-header.ts'
import { onLogicalChannel } from './on-logical-channel.ts'
import { openByVersion } from './open-by-version.ts'
import { sendSteps, type BatchOptions, type BatchStep } from './send-batch.ts'
import type { SessionEnding } from './session.queries.ts'
import { SessionError } from './session-error.ts'
import type { SessionLog } from './session-log.ts'

export interface ChannelOptions {
  level: SecurityLevel
  /** Without it the card chooses. */
  keyVersion?: number | undefined
  /** Instead of the keys that Grove knows: a key that is being set. */
  keys?: KeySource | undefined
  /**
   * Replaces the card's keys: the id of credentials for SCP11, whose level is always 33; null for the
   * card's keys in any case.
   */
  credential?: string | null | undefined
  /** 0 to 3; default: the basic one. */
  logicalChannel?: number | undefined
}

export interface SendOptions {
  /** Redacts the command's data in the log. */
  isSecret?: boolean
  /** The command of a person that it belongs to. */
  step?: string | null
}

/** One conversation with one secure element. Commands run one at a time, each at most once. */
export interface ElementSession {
  readonly id: string
  readonly cplc: string
  /**
   * The open secure channel of a logical channel, by default the basic one; its `send` is the
   * session's. Undefined while none is open.
   */
  channel: (logicalChannel?: number) => SecureChannel | undefined
  /** The AID selected on the basic logical channel; null for the issuer's domain. */
  selected: () => string | null
  /** SELECT, without the channel, which ends with it. */
  select: (
    aid?: string,
    options?: SendOptions & { logicalChannel?: number | undefined },
  ) => Promise<Response>
  /**
   * Opens a secure channel to the selected domain, in one attempt.
   * @throws SessionError `wrong_keys`, after which the element is blocked; `channel_refused`, after
   * which the session continues.
   */
  openChannel: (options: ChannelOptions & SendOptions) => Promise<SecureChannel>
  /**
   * Sends a command once: through the secure channel of its logical channel, if one is open.
   * @throws SessionError, or ProblemError for a command that a session of this purpose must not send.
   */
  send: (command: Command, options?: SendOptions) => Promise<Response>
  /**
   * Sends raw bytes. All but MANAGE CHANNEL invalidate an open secure channel of their logical
   * channel.
   */
  transmit: (bytes: Uint8Array, options?: SendOptions) => Promise<Uint8Array>
  /**
   * Sends the commands of some steps one after the other, all stored by one write before the first:
   * commands like `send`, and bytes like `transmit`. Returns the last reply of each step, up to the
   * first error unless `stopAtError` is false.
   * @throws SessionError and ProblemError like `send`; `limit_reached` for a batch that is too long;
   * DecodeError for a malformed reply to bytes.
   */
  sendBatch: (steps: readonly BatchStep[], options?: BatchOptions) => Promise<Response[]>
  /** Resolves when everything so far is durable. */
  flush: () => Promise<void>
  end: (reason?: SessionEnd) => Promise<void>
  /** Why it ended, once it has. */
  ended: () => SessionEnding | undefined
}

/** A session with what its process needs of it. */
export interface LiveSession extends ElementSession {
  log: SessionLog
  lastUsed: () => number
  isBusy: () => boolean
  finish: (ending: SessionEnding) => Promise<void>
  /**
   * After a command that changed a state, or an earlier session's command with an unknown outcome:
   * reads the card, if a channel is open.
   */
  readAgain: () => Promise<void>
}

interface Recalled {
  /** The contents of the card at the last reading. */
  known: readonly KnownApplication[]
  /** A later command got no definite answer. */
  isUncertain: boolean
}

interface Parts {
  id: string
  cplc: string
  purpose: SessionPurpose
  log: SessionLog
  now: () => number
  /** @param domain The selected AID; null for the issuer's domain. */
  keysFor: (domain: string | null, keyVersion: number | undefined) => Promise<KeySource>
  /** The versions of the keys that Grove has of the element, most likely first. */
  knownVersions?: (domain: string | null) => Promise<readonly number[]>
  /** The options to open it by SCP11: named credentials, or those chosen for the element. */
  scp11For?: (credential: string | undefined) => Promise<OpenScp11Options | undefined>
  /** Stores which secure channel is open on the basic logical channel. */
  onChannel: (channel: SessionFact['channel']) => Promise<void>
  /**
   * The keys did not match: further attempts are blocked. Returns which keys the card has instead.
   */
  onWrongKeys: () => Promise<KeyMismatch | undefined>
  /** The element is blocked already. */
  isBlocked: () => Promise<boolean>
  /** Records of the card before this session. */
  recall?: () => Promise<Recalled>
  /** A command changed a state on the card. */
  readCard?: (session: ElementSession) => Promise<void>
  /** Frees the element and stores how the session ended. */
  onEnd: (ending: SessionEnding) => Promise<void>
}

export function elementSession(parts: Parts): LiveSession {
  const { id, cplc, log, now } = parts
  const lines = Array.from({ length: maxLogicalChannel + 1 }, newLine)
  let ending: SessionEnding | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let used = now()
  let running = 0
  let isStale = false
  const gate = commandGate(parts.purpose)
  let recalled: Promise<void> | undefined
  const recall = async () => {
    const found = await parts.recall?.()
    if (!found) return
    gate.recall(found.known)
    isStale ||= found.isUncertain
  }

  /** Sends the channel's bytes. Errors pass unchanged. */
  let broken: SessionError | undefined
  const wire: SeTransport = {
    async transmit(bytes) {
      try {
        return await log.transmit(bytes)
      } catch (error) {
        broken =
          error instanceof SessionError
            ? error
            : new SessionError(
                'internal',
                'The log could not be written, so nothing more was sent.',
              )
        throw broken
      }
    },
  }

  async function finish(next: SessionEnding): Promise<void> {
    if (ending) return
    ending = next
    for (const line of lines) line.opened = undefined
    log.reach()
    await log.flush().catch(() => {})
    await parts.onEnd(next)
  }

  const fail = async (error: SessionError): Promise<SessionError> => {
    const { code, message, mismatch } = error
    if (code !== 'not_sent' && code !== 'session_ended' && code !== 'element_blocked')
      await finish({ state: 'failed', failure: { code, message, ...(mismatch && { mismatch }) } })
    return error
  }

  /** One after the other, and none after the end. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = turn.then(async () => {
      if (ending) throw new SessionError('session_ended', 'The session has ended.')
      used = now()
      running++
      broken = undefined
      try {
        await (recalled ??= recall())
        return await work()
      } catch (error) {
        if (error instanceof ProblemError) throw error
        throw await fail(errorOf(broken ?? error))
      } finally {
        running--
        used = now()
      }
    })
    turn = next.catch(() => {})
    return next
  }

  const lineOf = (number: number): Line => lines[number] ?? newLine()

  const dropChannel = async (number: number) => {
    const line = lineOf(number)
    if (!line.opened) return
    line.opened.close()
    line.opened = undefined
    if (number === 0) await parts.onChannel(null)
  }

  async function plain(command: Command, { isSecret = false, step = null }: SendOptions) {
    log.mean({ step, isSecret, isProtected: false, plain: null })
    const before = log.last()
    try {
      return await exchange(wire, command)
    } catch (error) {
      if (!(error instanceof DecodeError) || log.last() === before) throw error
      throw new SessionError('channel_broken', 'The reply of the card is malformed.')
    }
  }

  async function through(
    channel: SecureChannel,
    command: Command,
    { isSecret = false, step = null }: SendOptions,
  ): Promise<Response> {
    const isProtected = channel.level !== 0
    const bytes = encodeCommand({
      ...command,
      isExtended: command.isExtended || command.data.length > 0xff,
    })
    log.mean({ step, isSecret, isProtected, plain: isProtected ? bytes : null })
    try {
      // The number is added to the class byte after the secure channel has protected the command.
      const isBasic = numberOf(command) === 0
      const response = await channel.send(isBasic ? command : onNumber(command, 0))
      if (isProtected) log.explain({ reply: toHex(encodeResponse(response)) })
      return response
    } catch (error) {
      if (!(error instanceof ChannelError) || broken) throw error
      if (channel.state() === 'open') throw new SessionError('not_sent', error.message)
      log.explain({ problem: error.code })
      throw new SessionError('channel_broken', error.message, error.statusWord)
    }
  }

  /** The options for SCP11, if requested, or if chosen and the issuer's domain is selected. */
  const agreedOn = async ({ selected }: Line, credential: string | null | undefined) =>
    credential === null || (credential === undefined && !isOfIssuer(selected))
      ? undefined
      : parts.scp11For?.(credential)

  /** Cards do not count its failures, so none blocks the element. */
  async function openAgreed(
    agreed: OpenScp11Options,
    { recognised }: Line,
    transport: SeTransport,
  ): Promise<SecureChannel> {
    try {
      const option = optionOf(recognised, 'SCP03')
      return await openScp11Channel(transport, {
        ...agreed,
        ...(option !== undefined && { macLength: macLengthOf('SCP03', option) }),
      })
    } catch (error) {
      if (broken) throw broken
      if (error instanceof CertificateError) throw new SessionError('not_sent', `${error.message}.`)
      if (!(error instanceof ChannelError)) throw error
      const { code, statusWord } = error
      if (code === 'wrongCardCryptogram')
        throw new SessionError('not_sent', 'The card does not have the key of its certificate.')
      const isBroken = code === 'malformedReply'
      throw new SessionError(isBroken ? 'channel_broken' : 'not_sent', error.message, statusWord)
    }
  }

  async function openWithKeys(
    { level, keyVersion, keys, isChosen }: ChannelOptions & { isChosen: boolean },
    { selected, recognised }: Line,
    transport: SeTransport,
  ): Promise<SecureChannel> {
    const source = keys ?? (await parts.keysFor(selected, keyVersion))
    const open = (version?: number) =>
      openSecureChannel(transport, {
        keys: source,
        level,
        ...channelHints(recognised),
        ...(version !== undefined && { keyVersion: version }),
      })
    try {
      return isChosen
        ? await open(keyVersion)
        : await openByVersion(open, async () => (await parts.knownVersions?.(selected)) ?? [])
    } catch (error) {
      if (!(error instanceof ChannelError) || broken) throw error
      throw openingErrorOf(error, isWrongKeys(error) ? await parts.onWrongKeys() : undefined)
    }
  }

  async function note(command: Command, response: Response): Promise<Response> {
    gate.answered(command, response)
    const number = numberOf(command)
    if (isSelect(command) && isSelected(response)) {
      const line = lineOf(number)
      line.selected = command.data.length > 0 ? toHex(command.data) : null
      line.recognised = recognisedChannels(response.data)
    }
    const managed = managedChannel(command, response)
    if (managed) {
      await dropChannel(managed.number)
      // A channel opened from a channel other than the basic one inherits that one's selection.
      const { selected, recognised } = number === 0 ? newLine() : lineOf(number)
      Object.assign(lineOf(managed.number), { selected, recognised })
    }
    if (command.ins === setStatus && response.statusWord === success) isStale = true
    return response
  }

  /**
   * Asks the card itself what a command is about to delete. Without a channel it would not answer.
   */
  async function askRegistry(command: Command | Uint8Array): Promise<void> {
    const number = numberOf(headerOf(command))
    const channel = lineOf(number).opened
    if (!channel || !gate.needsRegistry(command)) return
    const send = async (each: Command) => {
      const own = onNumber(each, number)
      return note(own, await through(channel, own, {}))
    }
    const read = (subset: StatusSubset) =>
      readRegistry(send, subset).catch((error: unknown) => {
        if (error instanceof CommandError) return undefined
        throw error
      })
    // A domain that cannot see the issuer domain cannot see everything either.
    const issuer = (await read('issuer')) ?? []
    const applications = await read('applications')
    if (applications) gate.learn(number, [...issuer, ...applications], issuer.length > 0)
  }

  async function sendNow(command: Command, options: SendOptions): Promise<Response> {
    await askRegistry(command)
    gate.assertAllowed(command)
    const number = numberOf(command)
    if (isSelect(command)) await dropChannel(number)
    const opened = isManageChannel(command) ? undefined : lineOf(number).opened
    const sent = opened ? through(opened, command, options) : plain(command, options)
    return note(command, await sent)
  }

  async function transmitNow(
    bytes: Uint8Array,
    { isSecret = false, step = null }: SendOptions,
  ): Promise<Uint8Array> {
    await askRegistry(bytes)
    gate.assertAllowed(bytes)
    const header = headerOf(bytes)
    if (!isManageChannel(header)) await dropChannel(numberOf(header))
    log.mean({ step, isSecret, isProtected: false, plain: null })
    const reply = await wire.transmit(bytes)
    const command = commandIn(bytes)
    const response = command && replyIn(reply)
    if (command && response) await note(command, response)
    else gate.forget()
    return reply
  }

  const batchParts = {
    log,
    gate,
    askRegistry,
    send: sendNow,
    transmit: transmitNow,
    isProtected: (number: number) => (lineOf(number).opened?.level ?? 0) !== 0,
    assertLive: () => {
      if (ending) throw new SessionError('session_ended', 'The session has ended.')
    },
  }

  const ofSession = <Opened extends SecureChannel | undefined>(
    opened: Opened,
    number: number,
  ): Opened =>
    opened && { ...opened, send: (command: Command) => session.send(onNumber(command, number)) }

  const session: LiveSession = {
    id,
    cplc,
    log,
    selected: () => lineOf(0).selected,
    channel: (number = 0) => {
      const own = number > maxLogicalChannel ? 0 : number
      return ofSession(lineOf(own).opened, own)
    },
    select: (aid, { logicalChannel: number = 0, ...options } = {}) =>
      inTurn(async () => {
        const command = onNumber(select(aid === undefined ? {} : { aid }), number)
        await dropChannel(number)
        return note(command, await plain(command, options))
      }),
    openChannel: ({
      level,
      keyVersion,
      keys,
      credential,
      step = null,
      logicalChannel: number = 0,
    }) =>
      inTurn(async () => {
        const line = lineOf(number)
        if (await parts.isBlocked())
          throw new SessionError(
            'element_blocked',
            'The keys did not match this element, so it is blocked. Someone with the right to its keys can clear the block.',
          )
        await dropChannel(number)
        log.mean({ step, isSecret: false, isProtected: false, plain: null })
        const transport = transportOf(wire, number)
        const isChosen = keyVersion !== undefined || keys !== undefined
        const agreed = isChosen && !credential ? undefined : await agreedOn(line, credential)
        const opened = agreed
          ? await openAgreed(agreed, line, transport)
          : await openWithKeys({ level, keyVersion, keys, isChosen }, line, transport)
        line.opened = opened
        gate.opened(number)
        if (number === 0) await parts.onChannel(channelFacts(opened))
        return ofSession(opened, number)
      }),
    send: (command, options = {}) => inTurn(() => sendNow(command, options)),
    transmit: (bytes, options = {}) => inTurn(() => transmitNow(bytes, options)),
    sendBatch: async (steps, options = {}) => {
      const { replies, problem } = await inTurn(() => sendSteps(batchParts, steps, options))
      if (problem) throw problem
      return replies
    },
    flush: () => log.flush(),
    end: async (reason = 'ended') => {
      // A command that is on its way has a moment to be answered.
      await Promise.race([turn, wait(endMs, undefined, { ref: false })])
      await finish({ state: 'closed', reason })
    },
    ended: () => ending,
    lastUsed: () => used,
    isBusy: () => running > 0,
    finish,
    async readAgain() {
      const number = lines.findIndex(({ opened }) => opened)
      if (!isStale || number < 0 || ending) return
      isStale = false
      await parts.readCard?.(onLogicalChannel(session, number))
    },
  }
  return session
}

/** A logical channel of the card. */
interface Line {
  /** Its secure channel. */
  opened: SecureChannel | undefined
  /** The AID with which an application was selected; null for the issuer's domain. */
  selected: string | null
  /** The secure channel protocols that the selected domain listed. */
  recognised: RecognisedChannel[]
}

const optionOf = (
  recognised: readonly RecognisedChannel[],
  protocol: RecognisedChannel['protocol'],
): number | undefined => recognised.find((each) => each.protocol === protocol)?.implementation

/** Selected without a name, or by one that only an issuer's domain has. */
const isOfIssuer = (selected: string | null) => selected === null || isIssuerAid(selected)

const newLine = (): Line => ({ opened: undefined, selected: null, recognised: [] })

const onNumber = (command: Command, number: number): Command => ({
  ...command,
  cla: numbered(command.cla, number),
})

const endMs = 3000
const setStatus = 0xf0
const success = 0x9000
/** Selected, although locked. */
const invalidated = 0x6283
/** The rest of its answer follows; only when raw bytes are sent. */
const moreFollows = 0x61
const isSelected = ({ statusWord }: Response) =>
  statusWord === success || statusWord === invalidated || statusWord >> 8 === moreFollows

function replyIn(bytes: Uint8Array): Response | undefined {
  try {
    return parseResponse(bytes)
  } catch {
    return undefined
  }
}

const hexByte = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0')

/** The protocol's name for people. */
export const protocolOf = ({ agreement, protocol }: SecureChannel) =>
  agreement ? (`SCP11${agreement}` as const) : protocol

const channelFacts = (channel: SecureChannel): NonNullable<SessionFact['channel']> => ({
  protocol: protocolOf(channel),
  implementation: hexByte(channel.implementation),
  level: hexByte(channel.level) as NonNullable<SessionFact['channel']>['level'],
  keyVersion: channel.keyVersion,
  longestData: channel.longestData,
})

/**
 * SCP02 does not state its option when a channel opens. Options without INITIALIZE UPDATE are left
 * out: nothing would prove the keys before the first command.
 */
function channelHints(
  recognised: readonly RecognisedChannel[],
): Pick<OpenOptions, 'scp02Implementation' | 'challengeLength'> {
  const [two, three] = [optionOf(recognised, 'SCP02'), optionOf(recognised, 'SCP03')]
  const isKnown = two !== undefined && implementations.SCP02.includes(two)
  return {
    ...(isKnown && !scp02Options(two).isImplicit && { scp02Implementation: two }),
    ...(three !== undefined && { challengeLength: macLengthOf('SCP03', three) }),
  }
}

/** The card counts these as failed attempts, or has seen that the keys are others. */
const isWrongKeys = ({ code }: ChannelError) =>
  code === 'wrongCardCryptogram' ||
  code === 'wrongCardChallenge' ||
  code === 'authenticationRefused'

function openingErrorOf(error: ChannelError, mismatch: KeyMismatch | undefined): SessionError {
  if (isWrongKeys(error)) {
    const found = mismatch ? ` ${wordsOfMismatch(mismatch)}` : ''
    return new SessionError(
      'wrong_keys',
      `${error.message}.${found} The element is blocked: there are no further attempts until somebody clears the block.`,
      error.statusWord,
      mismatch,
    )
  }
  return error.code === 'malformedReply'
    ? new SessionError('channel_broken', error.message, error.statusWord)
    : new SessionError('not_sent', error.message, error.statusWord)
}

/** Only the message of an external error is kept: its properties could contain a command. */
function errorOf(error: unknown): SessionError {
  if (error instanceof SessionError) return error
  if (error instanceof DecodeError || error instanceof ChannelError)
    return new SessionError('not_sent', error.message)
  return new SessionError('internal', 'The session failed because of a platform error.')
}
