import { randomInt, randomUUID } from 'node:crypto'
import {
  heartbeatSeconds,
  maxMessageLength,
  messageWindow,
  silenceSeconds,
} from '@grove/device-protocol/limits'
import {
  readFromDevice,
  refusalOf,
  writeMessage,
  isStored,
  type ByeCode,
  type FromDevice,
  type Refused,
  type StoredMessage,
  type ToDevice,
} from '@grove/device-protocol/message'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { DeviceSessionEnd } from '@grove/contract/maple/connect/device-session.rules'
import { deviceLost, type ConnectedDevice } from './device-hub.ts'
import { deviceWork, type DesiredNote, type Found, type Looking } from './device-work.ts'
import type { Beginning, Begun, Identity, Offer } from './gateway.queries.ts'
import { guarded } from '../../../../core/guarded.ts'
import type { Given } from './intake.queries.ts'

/** A WebSocket or a connection of MQTT. */
export interface Link {
  protocol: string
  ip: string
  /** Answers false where the device takes no message that is so long. */
  send: (text: string) => unknown
  /** Bytes that wait for a device that does not read. */
  waiting: () => number
  pause: () => void
  resume: () => void
  close: (code: ByeCode, reason: string) => void
  /** Ends it at once, without a word. */
  cut: () => void
  /** The longest silence where the link agreed on another one than usual. */
  silenceMs?: number
  /** It may lose messages, and delivers more while it is paused: the connection checks for both. */
  isLossy?: boolean
  /**
   * Libraries send again by themselves what an earlier connection did not confirm, before their
   * program says hello and behind it: what only that connection concerned is confirmed and left.
   */
  repeats?: boolean
}

/** `held`: it is not stored before people accept the device. The last two are refused for good. */
export type Outcome = 'done' | 'held' | 'tooLong' | 'unreadable'

/** Hears of a message that it was dealt with. */
type OnTaken = (outcome: Outcome) => void

/** What came with a message. */
export interface Coming {
  onTaken?: OnTaken
  /** It says that it was sent before. */
  isRepeated?: boolean
}

export interface ConnectionLimits {
  helloMs: number
  silenceMs: number
  /** The longest that an element may take for one command. */
  replyMs: number
  /** Messages that are taken at once, and then in a second; a device that sends more waits. */
  burst: number
  perSecond: number
  /** Bytes that may wait for a device that does not read. */
  maxWaiting: number
}

export const ordinaryLimits: ConnectionLimits = {
  helloMs: 10_000,
  silenceMs: silenceSeconds * 1000,
  replyMs: 60_000,
  burst: 200,
  perSecond: 50,
  maxWaiting: 1_000_000,
}

export interface ConnectionWork {
  limits: ConnectionLimits
  /** Milliseconds that never go back. */
  clock: () => number
  begin: (given: Beginning) => Promise<Begun | undefined>
  store: (message: Given) => Promise<boolean>
  onBegun: (connection: DeviceConnection) => void
  /** It offers other elements than before. */
  onOffer: (connection: DeviceConnection) => void
  storeOffer: (offer: Offer) => Promise<void>
  /** What people want of the device now. */
  look: (asked: Looking) => Promise<Found>
  /** Says on the desired state whether the device takes a message that is so long. */
  noteDesired: (note: DesiredNote) => Promise<void>
  /** Says on a command why it cannot reach the device. */
  refuse: (command: { deviceId: string; id: string; error: string }) => Promise<void>
  onEnd: (connection: DeviceConnection, reason: string, code: DeviceSessionEnd) => void
  /** A fault of ours, which ended it. */
  onFailed: (connection: DeviceConnection, error: unknown) => void
  /** It was stored as connected when it had ended already. */
  onBegunLate: (connection: DeviceConnection, code: DeviceSessionEnd) => void
}

export interface DeviceConnection extends ConnectedDevice, Identity {
  id: string
  /** By the clock. */
  heardAt: () => number
  /** Messages that were stored. */
  stored: () => number
  /** Sends what people want of the device, if it may be told. */
  lookForWork: () => void
  isBegun: () => boolean
  /** Text from the device; of what is stored, `onTaken` hears after the commit. */
  receive: (text: string, coming?: Coming) => void
  /** A sign of life of the link itself, which costs as much as a message. */
  alive: () => void
  /** Ends what is none of the protocol. */
  broken: (reason: string) => void
  /** Looks at the time; the gateway asks every moment. */
  tick: (now: number) => void
  bye: (code: ByeCode, reason: string, retryIn?: number) => void
  /** Ends it alone when something of it threw, which is a fault of ours. */
  failed: (error: unknown) => void
  /** The link is closed. */
  ended: (reason: string) => void
}

/** Messages that wait in one connection: what one read of a link holds, which is bounded by bytes. */
const maxWaiting = 64 * messageWindow

/** Hellos of one connection: its own, and those that its library sends again. */
const maxHellos = 10
/** For what a library sends again before its program says hello. */
const maxEarlyMs = 300_000

/** So that devices which lose a connection together do not come back together. */
const soon = () => Math.ceil(Math.random() * 5000)

/**
 * One connection of one device. What it says is never trusted: a message that nobody expects, a
 * silence or a link that is not read end it; one that says too much is read later. No timer is its
 * own: ten thousand of them would cost more than they measure.
 */
export function deviceConnection(
  identity: Identity,
  link: Link,
  {
    limits,
    clock,
    begin,
    store,
    storeOffer,
    look,
    refuse,
    noteDesired,
    onBegun,
    onOffer,
    onEnd,
    onFailed,
    onBegunLate,
  }: ConnectionWork,
): DeviceConnection {
  const openedAt = clock()
  let heard = openedAt
  let begun: Begun | undefined
  /** The boot of the hello, and the next number of it in a link that may lose messages. */
  let boot = ''
  let nextSeq = 1
  let isGreeted = false
  /** Why it ended. */
  let endedBy: DeviceSessionEnd | undefined
  let isOver = false
  let isPaused = false
  let tokens = limits.burst
  let filledAt = openedAt
  let unstored = 0
  let stored = 0
  let backlog: { text: string; coming: Coming }[] = []
  /** When a hello is due, by the clock, and how often it came. */
  let helloBy = openedAt + limits.helloMs
  let hellos = 0
  /** The last message of its boot that is stored. */
  let lastSeq = 0
  let offered: readonly string[] = []
  let exchanges: Map<number, Exchange> | undefined
  // A reply that is sent again over the next connection must not fit one of its exchanges.
  let lastExchange = randomInt(2 ** 30)

  interface Exchange {
    until: number
    resolve: (reply: Uint8Array) => void
    reject: (error: Error) => void
  }

  function failed(error: unknown) {
    onFailed(connection, error)
    over('the server failed', 'unavailable')
    link.cut()
  }

  function sendNow(message: ToDevice): unknown {
    if (isOver) return
    if (link.waiting() > limits.maxWaiting) return connection.bye('slow', 'it does not read')
    return link.send(writeMessage(message))
  }

  const send = guarded(failed, sendNow)

  /** Answers false where the device takes no message that is so long. */
  function fits(message: ToDevice): boolean {
    let isTaken: unknown = true
    guarded(failed, () => (isTaken = sendNow(message)))()
    return isTaken !== false
  }

  const wanted = deviceWork({
    deviceId: identity.deviceId,
    look,
    refuse,
    noteDesired,
    send: fits,
  })

  const over = (reason: string, code: DeviceSessionEnd = 'left') => {
    if (isOver) return
    isOver = true
    endedBy = code
    for (const { reject } of exchanges?.values() ?? []) reject(deviceLost('lost'))
    exchanges = undefined
    onEnd(connection, reason, code)
  }

  const broken = (reason: string) => connection.bye('protocol', reason, 60_000 + soon())

  /** What comes behind a hello waits for its welcome, where the link does not end for it. */
  const isGreeting = () => link.repeats === true && isGreeted && !begun

  const hasRoom = () => tokens >= 1 && unstored < messageWindow && !isGreeting()

  function pause() {
    isPaused = true
    link.pause()
  }

  /** Takes what waited as far as its pace allows, and reads on when nothing waits any more. */
  function goOn(now: number) {
    tokens = Math.min(limits.burst, tokens + ((now - filledAt) / 1000) * limits.perSecond)
    filledAt = now
    let taken = 0
    for (const { text, coming } of backlog) {
      if (!hasRoom() || isOver) break
      take(text, coming)
      taken++
    }
    if (taken > 0) backlog = backlog.slice(taken)
    if (!isPaused || backlog.length > 0 || !hasRoom() || isOver) return
    isPaused = false
    link.resume()
  }

  function take(text: string, coming: Coming) {
    // One over the limit costs as much as messages with so many characters.
    tokens -= Math.max(1, Math.ceil(text.length / maxMessageLength))
    const message = readFromDevice(text)
    if (message) return handle(message, coming)
    const refusal = refusalOf(text)
    if (!refusal) return broken('it sent something else than a message')
    if (isTooEarly()) return broken('it did not wait for its welcome')
    const outcome = refusal.isTooLong ? 'tooLong' : 'unreadable'
    keep(refusal.refused, coming, outcome, refusal.command)
  }

  type Hello = Extract<FromDevice, { t: 'hello' }>

  const welcome = (seq: number) =>
    send({
      t: 'welcome',
      device: identity.deviceId,
      seq,
      heartbeat: heartbeatSeconds,
      window: messageWindow,
      held: isHeld(),
    })

  /** The hello of this connection, behind the one of an earlier connection that was sent again. */
  function greetAgain(hello: Hello, { onTaken, isRepeated = false }: Coming) {
    if (isRepeated) return onTaken?.('done')
    if (link.repeats !== true || ++hellos > maxHellos) return broken('it said hello twice')
    if (hello.boot !== boot) return connection.bye('replaced', 'it started again')
    const { elements = [] } = hello
    if (elements.join() !== offered.join()) offer(elements)
    welcome(lastSeq)
    onTaken?.('done')
  }

  function greet(hello: Hello, coming: Coming) {
    if (isGreeted) return greetAgain(hello, coming)
    isGreeted = true
    const { agent = null, firmware = null, elements = [], next = 1 } = hello
    boot = hello.boot
    const { protocol, ip } = link
    const { id: connectionId } = connection
    const said = { boot, agent, firmware, elements }
    const asked = begin({ ...identity, connectionId, protocol, ip, ...said })
    asked.then(
      (found) => found && endedBy !== undefined && onBegunLate(connection, endedBy),
      () => {},
    )
    settle(asked, (found) => {
      if (!found) return connection.bye('changed', 'the device is gone')
      begun = found
      lastSeq = found.seq
      nextSeq = Math.max(found.seq + 1, next)
      offered = elements
      onBegun(connection)
      welcome(found.seq)
      coming.onTaken?.('done')
      connection.lookForWork()
      if (isPaused) goOn(clock())
    })
  }

  /** Continues with what the database answered, if the connection is still there. */
  function settle<Answer>(asked: Promise<Answer>, work: (answer: Answer) => void) {
    const goOnWith = async () => {
      const answer = await asked
      if (!isOver) guarded(failed, work)(answer)
    }
    goOnWith().catch(() =>
      connection.bye('unavailable', 'the database did not answer', 5000 + soon()),
    )
  }

  function offer(elements: readonly string[]) {
    offered = elements
    onOffer(connection)
    const { deviceId } = identity
    settle(storeOffer({ deviceId, connectionId: connection.id, elements }), () => {})
  }

  /** Before its welcome, where the link sends nothing again by itself. */
  const isTooEarly = () => !begun && link.repeats !== true

  const isHeld = () => begun?.state === 'pending' || begun?.state === 'quarantined'

  /** `command`: the one that it answers, also where the answer is refused. */
  function keep(
    message: StoredMessage | Refused,
    { onTaken }: Coming,
    outcome: Outcome = 'done',
    command = message.t === 'result' ? message.id : undefined,
  ) {
    // Neither stored nor acknowledged: the device keeps it until people have accepted the device.
    if (isHeld()) return onTaken?.('held')
    const { seq } = message
    const isEarly = !begun
    if (isEarly) {
      const at = clock()
      helloBy = Math.max(helloBy, Math.min(at, openedAt + maxEarlyMs) + limits.helloMs)
    }
    if (link.isLossy && message.boot === boot) {
      // `ack` would say that those between are stored; after the next hello they come again.
      if (seq > nextSeq) return connection.bye('unavailable', 'messages were lost on their way')
      nextSeq = Math.max(nextSeq, seq + 1)
    }
    unstored++
    const answer = command !== undefined && { command }
    settle(store({ deviceId: identity.deviceId, message, isEarly, ...answer }), (isKnown) => {
      unstored--
      if (!isKnown && !isEarly) return broken('its boot was forgotten')
      const isRefused = message.t === 'refused'
      if (isKnown && !isRefused) stored++
      // The welcome says how far all is stored, to a device that has none yet.
      if (begun && isKnown) {
        if (isRefused) send(message)
        // Also for devices that know no `refused`, which would send it again.
        send({ t: 'ack', boot: message.boot, seq })
      }
      if (message.boot === boot) lastSeq = Math.max(lastSeq, seq)
      onTaken?.(isKnown ? outcome : 'held')
      if (command !== undefined) settle(wanted.answered(command), () => {})
      if (isPaused) goOn(clock())
    })
  }

  function answered(id: number, work: (waiting: Exchange) => void) {
    const waiting = exchanges?.get(id)
    if (!waiting) return link.repeats === true ? undefined : broken('it answered what nobody asked')
    exchanges?.delete(id)
    work(waiting)
  }

  function handle(message: FromDevice, coming: Coming) {
    const { onTaken, isRepeated = false } = coming
    if (message.t === 'hello') return greet(message, coming)
    if (isTooEarly()) return broken('it did not wait for its welcome')
    if (isStored(message)) return keep(message, coming)
    // Of an earlier connection: the hello of this one says which elements there are.
    if (!begun || isRepeated) return onTaken?.('done')
    if (message.t === 'elements') offer(message.elements)
    else if (message.t === 'reply')
      answered(message.id, ({ resolve }) => resolve(readHex(message.data)))
    else if (message.t === 'failed')
      answered(message.id, ({ reject }) => reject(deviceLost(message.code)))
    onTaken?.('done')
  }

  const connection: DeviceConnection = {
    ...identity,
    id: randomUUID(),
    heardAt: () => heard,
    stored: () => stored,
    lookForWork() {
      if (!isOver && begun && !isHeld()) settle(wanted.lookForWork(), () => {})
    },
    isBegun: () => begun !== undefined,
    receive: guarded(failed, (text, coming = {}) => {
      if (isOver) return
      heard = clock()
      if (!isPaused) goOn(heard)
      if (!isPaused && hasRoom()) return take(text, coming)
      // A link that is paused still hands over what it has read.
      backlog.push({ text, coming })
      if (backlog.length > (link.isLossy ? messageWindow : maxWaiting))
        return broken('it sends beyond its window')
      pause()
    }),
    alive: guarded(failed, () => {
      if (isOver) return
      heard = clock()
      if (!isPaused) goOn(heard)
      tokens--
      if (tokens < 1) pause()
      // The link answers it.
      if (link.waiting() > limits.maxWaiting) connection.bye('slow', 'it does not read')
    }),
    broken,
    tick: guarded(failed, (now) => {
      if (isOver) return
      // Where its program or we were busy: it may come back soon.
      if (!isGreeted && now > helloBy) return connection.bye('silent', 'it did not say hello')
      // What waits in a paused link is not heard.
      if (!isPaused && now - heard > (link.silenceMs ?? limits.silenceMs))
        return connection.bye('silent', 'it is silent')
      if (isPaused) goOn(now)
      for (const { until } of exchanges?.values() ?? [])
        if (until < now) return connection.bye('slow', 'its element took too long for a command')
    }),
    bye: guarded(failed, (code, reason, retryIn = soon()) => {
      if (isOver) return
      link.send(writeMessage({ t: 'bye', code, retryIn }))
      over(reason, code)
      link.close(code, reason)
    }),
    failed,
    ended: (reason) => over(reason),
    isOffering: () => offered.length > 0,
    offers: (cplc) => !isOver && !isHeld() && offered.includes(cplc),
    exchange: ({ session, isFirst, cplc, command }) =>
      new Promise((resolve, reject) => {
        if (!connection.offers(cplc)) return reject(deviceLost('absent'))
        const id = ++lastExchange
        exchanges ??= new Map()
        exchanges.set(id, { until: clock() + limits.replyMs, resolve, reject })
        if (fits({ t: 'exchange', id, session, isFirst, cplc, data: toHex(command) })) return
        exchanges.delete(id)
        reject(deviceLost('tooLong'))
      }),
    endSession: (session) => send({ t: 'end', session }),
  }
  return connection
}
