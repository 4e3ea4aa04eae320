import { encodeResponse, parseCommand, type Command, type Response } from '../apdu.ts'
import { concat } from '../bytes.ts'
import { logicalChannelOf, onLogicalChannel } from '../class-byte.ts'
import { DecodeError } from '../decode-error.ts'
import type { SeTransport } from '../host/transport.ts'
import { agree, takeCertificate } from './agreement.ts'
import { newCard, type CardState, type NewCard } from './card-state.ts'
import { deleteObjects } from './deletion.ts'
import { isDomain } from './domains.ts'
import { install } from './install.ts'
import { loadBlock, stopLoading } from './load-file.ts'
import { manageChannel } from './manage-channel.ts'
import { checkMemory } from './memory.ts'
import { runApplet } from './models/applet.ts'
import { cardData } from './objects.ts'
import { greet, openedBy, openedImplicitly } from './opening.ts'
import { putKeys } from './put-keys.ts'
import { Refusal, refuse, words } from './refusal.ts'
import { statusReply } from './registry.ts'
import { select as selectByName } from './select.ts'
import { setStatus } from './set-status.ts'
import { storeData } from './store-data.ts'
import { noSession, type CardContext, type Volatile } from './volatile.ts'

/** Faults to inject. */
export interface Faults {
  /** Power fails before this write, counted from 1. The command that writes gets no reply. */
  powerCutBeforeWrite?: number
  /** The next command with this instruction is not run and gets this status word. */
  wrongStatusWord?: { ins: number; statusWord: number }
  /** The sequence counter of secure channels does not increase. */
  isCounterStuck?: boolean
  /** The card opens secure channels with unknown keys. */
  hasOtherKeys?: boolean
  /** Delay of every reply, in milliseconds. */
  delay?: number
}

export interface SoftwareCard extends SeTransport {
  /** The non-volatile state. */
  snapshot(): CardState
  /** Injects faults, or clears them. Writes are counted from here. */
  break(faults: Faults): void
  /** The faults still pending. A one-time fault is removed after it occurs. */
  faults(): Faults
  /** Power-cycles the card: the session is lost, what was written stays. */
  reset(): void
}

/** Power failed while a command ran. */
export class PowerCut extends Error {
  constructor() {
    super('The card lost its power')
    this.name = 'PowerCut'
  }
}

/**
 * A GlobalPlatform card in software: registry, life cycles, domains, keys, secure channels, loading
 * and installing. It runs no byte code: a model simulates an applet that it knows, and all others
 * answer 6D00. Any input gets a status word. Each change is one atomic write; LOAD writes once per
 * block, and an incomplete load file is removed at the next power-on.
 */
export function softwareCard(from: CardState | NewCard = {}): SoftwareCard {
  let state = 'keySets' in from ? structuredClone(from) : newCard(from)
  /** The open logical channels. The basic one is always open. */
  let sessions = new Map([[0, noSession(state)]])
  /** The logical channel of the current command, and its session. */
  let number = 0
  let session: Volatile = noSession(state)
  let faults: Faults = {}
  let writes = 0
  /** The rest of a reply, for the next GET RESPONSE on the same logical channel. */
  let rest: { number: number; response: Response } | undefined
  /** The links of a command chain before the last one. */
  let chain: { number: number; command: Command } | undefined

  /** Changes the non-volatile state in one atomic write. */
  const write = (change: (next: CardState) => void) => {
    const next = structuredClone(state)
    change(next)
    checkMemory(next)
    writes++
    if (faults.powerCutBeforeWrite === writes) throw new PowerCut()
    state = next
  }
  const reset = () => {
    // An incomplete load file is removed at power-on.
    state = { ...state, loadedBytes: 0 }
    sessions = new Map([[0, noSession(state)]])
    rest = undefined
    chain = undefined
  }
  const endSession = () => {
    session = { ...noSession(state), selected: session.selected }
  }

  const context = (): CardContext => {
    const { isCounterStuck = false, hasOtherKeys = false } = faults
    return {
      get state() {
        return state
      },
      session,
      elsewhere: [...sessions].flatMap(([each, other]) => (each === number ? [] : [other])),
      write,
      isCounterStuck,
      hasOtherKeys,
    }
  }

  const authenticate = (command: Command): Response => {
    const { opening } = session
    if (!opening) return refuse('notNow')
    endSession()
    const channel = openedBy(context(), opening, command)
    session.channel = channel
    return ok()
  }

  /**
   * A command that arrives in pieces as a whole, once the last piece is there; undefined before that.
   */
  const joined = (command: Command): Command | undefined => {
    const { ins } = command
    const earlier = session.pieces?.ins === ins ? session.pieces.data : new Uint8Array()
    session.pieces = undefined
    const whole = { ...command, data: concat(earlier, command.data) }
    if (!isPiece(command)) return whole
    if (whole.data.length > maxCommandLength) return refuse('wrongLength')
    session.pieces = { ins, data: whole.data }
    return undefined
  }

  /** A certificate of the host; it ends the previous channel. */
  const certified = (command: Command): Response => {
    const host = takeCertificate(context(), command)
    stopLoading(context())
    endSession()
    session.host = host
    return ok()
  }

  /** Key agreement with SCP11: the channel is open from the reply on. */
  const agreed = (command: Command): Response => {
    const { data, channel } = agree(context(), command)
    stopLoading(context())
    endSession()
    session.channel = channel
    return ok(data)
  }

  const select = (command: Command): Response => {
    const response = selectByName(context(), command)
    stopLoading(context())
    session = { ...noSession(state), selected: response.aid }
    return response
  }

  /** Commands allowed without a secure channel. */
  const open = (command: Command): Response | undefined => {
    const { cla, ins } = command
    if (ins === 0xca) return ok(cardData(state, session.selected, command))
    if (ins === 0x50 && cla === 0x80) {
      const made = greet(context(), command)
      stopLoading(context())
      endSession()
      session.opening = made.opening
      return ok(made.data)
    }
    if (cla === 0x80 && state.protocol === 'SCP03') {
      if (ins === 0x2a) {
        const whole = joined(command)
        return whole ? certified(whole) : ok()
      }
      if (ins === 0x82 || ins === 0x88) return agreed(command)
    }
    return ins === 0x82 && cla === 0x84 ? authenticate(command) : undefined
  }

  const managed = (command: Command): Response => {
    const { ins } = command
    if (!managing.has(ins)) return refuse('unknownInstruction')
    if (!session.channel || session.channel.isHostUnknown) return refuse('notSecure')
    if (state.lifeCycle === 0x7f && !whileLocked.has(ins)) return refuse('notNow')
    if (ins !== 0xe2) session.storing = undefined
    switch (ins) {
      case 0xf2:
        return statusReply(context(), command)
      case 0xf0:
        return ok(setStatus(context(), command))
      case 0xe6:
        return receipt(command, install(context(), command))
      case 0xe8:
        return receipt(command, loadBlock(context(), command))
      case 0xe4:
        return receipt(command, deleteObjects(context(), command))
      case 0xd8:
        return ok(putKeys(context(), command))
      default:
        return ok(storeData(context(), command))
    }
  }

  const answer = (command: Command): Response => {
    const { cla, ins } = command
    if (faults.wrongStatusWord?.ins === ins) {
      const { statusWord } = faults.wrongStatusWord
      faults = { ...faults, wrongStatusWord: undefined }
      throw new Refusal(statusWord)
    }
    if (state.lifeCycle === 0xff && ins !== 0xca) return refuse('notNow')
    const { channel, selected } = session
    const isDomainSelected = isDomain(state, selected)
    if ((cla & chaining) !== 0) return isDomainSelected ? kept(command) : refuse('unknownClass')
    if (ins === 0x70 && cla === 0x00)
      return ok(manageChannel(context(), sessions, { from: number, command }))
    const isByName = ins === 0xa4 && cla === 0x00 && (command.p1 === 0x04 || isDomainSelected)
    if (isByName) return select(command)
    if (!isDomainSelected) return runApplet(context(), command)
    const isProtected = (cla & 0x04) !== 0
    if (isProtected && ins !== 0x82) return secured(command)
    // In a channel with MACs, only commands that open another one may come without a MAC.
    if (channel && channel.level !== 0 && !opening.has(ins)) {
      stopLoading(context())
      endSession()
      return refuse('notSecure')
    }
    return open(command) ?? managed(command)
  }

  /**
   * Keeps a link of a chain (ISO/IEC 7816-4, 5.3.3); the last link has another class and runs with
   * all of them.
   */
  const kept = (command: Command): Response => {
    if (command.data.length > maxCommandLength) return refuse('wrongLength')
    chain = { number, command }
    return ok()
  }
  const chained = (command: Command): Command => {
    const before = chain?.number === number ? chain.command : undefined
    chain = undefined
    const isNext =
      before && before.ins === command.ins && (before.cla & ~chaining) === (command.cla & ~chaining)
    return isNext ? { ...command, data: concat(before.data, command.data) } : command
  }

  /** A long reply to a short command is sent in pieces. */
  const short = (response: Response): Response => {
    const { data, statusWord } = response
    if (data.length <= maxShortReply) return response
    rest = { number, response: { data: data.slice(maxShortReply), statusWord } }
    const left = Math.min(data.length - maxShortReply, 0xff)
    return { data: data.slice(0, maxShortReply), statusWord: words.moreBytes | left }
  }

  /** A command inside a channel. */
  const managedIn = (plain: Command): Response => open(plain) ?? managed(plain)

  const secured = (command: Command): Response => {
    const { channel } = session
    const whole = channel ? joined(command) : command
    if (!whole) return ok()
    const implicit = channel ? undefined : openedImplicitly(context(), whole)
    if (implicit) {
      stopLoading(context())
      endSession()
      session.channel = implicit.channel
      return implicit.channel.messaging.wrap(settled(() => managedIn(implicit.plain)))
    }
    const plain = channel && channel.level !== 0 ? channel.messaging.unwrap(whole) : undefined
    if (!channel || !plain) {
      stopLoading(context())
      endSession()
      return refuse('notSecure')
    }
    const response = settled(() => managedIn(plain))
    return channel.messaging.wrap(response)
  }

  const settled = (work: () => Response): Response => {
    try {
      return work()
    } catch (error) {
      if (error instanceof Refusal) return { data: new Uint8Array(), statusWord: error.statusWord }
      // Decoders reject malformed input.
      if (error instanceof DecodeError)
        return { data: new Uint8Array(), statusWord: words.wrongData }
      throw error
    }
  }

  const run = (bytes: Uint8Array): Uint8Array => {
    let command: Command
    try {
      command = parseCommand(bytes)
    } catch {
      return encodeResponse({ data: new Uint8Array(), statusWord: words.wrongLength })
    }
    const before = rest
    rest = undefined
    const response = settled(() => {
      const { cla, ins } = command
      if (cla === 0xff || (cla & 0x28) !== 0) return refuse('unknownClass')
      const on = logicalChannelOf(cla)
      session = sessions.get(on) ?? refuse('unsupportedChannel')
      number = on
      if (before?.number === number && ins === 0xc0 && (cla & 0xfc) === 0) return before.response
      try {
        // From here on a command looks as if it came on the basic channel, so MACs cover that class
        // byte.
        return answer(chained({ ...command, cla: onLogicalChannel(cla, 0) }))
      } finally {
        // It may have closed its own logical channel.
        if (sessions.has(number)) sessions.set(number, session)
      }
    })
    return encodeResponse(command.isExtended ? response : short(response))
  }

  return {
    async transmit(bytes) {
      if (faults.delay !== undefined) await new Promise((done) => setTimeout(done, faults.delay))
      try {
        return run(bytes)
      } catch (error) {
        if (error instanceof PowerCut) {
          faults = { ...faults, powerCutBeforeWrite: undefined }
          writes = 0
          reset()
        }
        throw error
      }
    },
    snapshot: () => structuredClone(state),
    break(next) {
      faults = { ...next }
      writes = 0
    },
    faults() {
      const { powerCutBeforeWrite, ...others } = faults
      return powerCutBeforeWrite === undefined
        ? others
        : { ...others, powerCutBeforeWrite: powerCutBeforeWrite - writes }
    },
    reset,
  }
}

const ok = (data: Uint8Array = new Uint8Array()): Response => ({ data, statusWord: words.success })
/** A host that expects no data gets none: the empty receipt is omitted. */
const receipt = ({ le }: Command, data: Uint8Array): Response =>
  ok(le === undefined ? undefined : data)
const maxCommandLength = 4096
const maxShortReply = 256
const chaining = 0x10

/**
 * Whether it is a fragment, except the last, of INSTALL, DELETE, PUT KEY or a certificate: the MAC is
 * verified over the whole.
 */
const isPiece = ({ ins, p1, data }: Command): boolean =>
  inPieces.has(ins) && (p1 & 0x80) !== 0 && data.length === 0xff

const inPieces = new Set([0x2a, 0xe4, 0xe6, 0xd8])
const managing = new Set([0xf2, 0xf0, 0xe6, 0xe8, 0xe4, 0xd8, 0xe2])
const opening = new Set([0x2a, 0x50, 0x82, 0x88])
const whileLocked = new Set([0xf2, 0xf0])
