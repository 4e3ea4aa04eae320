import { randomUUID } from 'node:crypto'
import { messageWindow, silenceSeconds, heartbeatSeconds } from '@grove/device-protocol/limits'
import {
  readFromDevice,
  writeMessage,
  isStored,
  type ByeCode,
  type FromDevice,
  type StoredMessage,
  type ToDevice,
} from '@grove/device-protocol/message'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { DeviceSessionEnd } from '@grove/contract/maple/device-session.rules'
import { deviceLost, type ConnectedDevice } from './device-hub.ts'
import { deviceWork, type Found, type Looking } from './device-work.ts'
import type { Beginning, Begun, Identity, Offer } from './gateway.queries.ts'
import type { GivenMessage } from './intake.queries.ts'

/** A WebSocket or a connection of MQTT. */
export interface Link {
  protocol: string
  ip: string
  send: (text: string) => void
  /** Bytes that wait for a device that does not read. */
  waiting: () => number
  pause: () => void
  resume: () => void
  close: (code: ByeCode, reason: string) => void
  /** The longest silence where the link agreed on another one than usual. */
  silenceMs?: number
  /** It may lose messages, and delivers more while it is paused: the connection checks for both. */
  isLossy?: boolean
}

/** Hears of a message that it was dealt with; with `false`, that it is not stored before people accept the device. */
type OnTaken = (isStored: boolean) => void

export interface ConnectionLimits {
  helloMs: number
  silenceMs: number
  /** The longest that an element may take for one command. */
  replyMs: number
  /** Messages that are taken at once, and then in a second; a device that sends more waits. */
  burst: number
  perSecond: number
  /** Bytes that may wait for a device that does not read. */
  mostWaiting: number
}

export const ordinaryLimits: ConnectionLimits = {
  helloMs: 10_000,
  silenceMs: silenceSeconds * 1000,
  replyMs: 60_000,
  burst: 200,
  perSecond: 50,
  mostWaiting: 1_000_000,
}

export interface ConnectionWork {
  limits: ConnectionLimits
  /** Milliseconds that never go back. */
  clock: () => number
  begin: (given: Beginning) => Promise<Begun | undefined>
  store: (message: GivenMessage) => Promise<boolean>
  onBegun: (connection: DeviceConnection) => void
  /** It offers other elements than before. */
  onOffer: (connection: DeviceConnection) => void
  storeOffer: (offer: Offer) => Promise<void>
  /** What people want of the device now. */
  look: (asked: Looking) => Promise<Found>
  onEnd: (connection: DeviceConnection, reason: string, code: DeviceSessionEnd) => void
  /** It was stored as connected when it had ended already. */
  onBegunLate: (connection: DeviceConnection, code: DeviceSessionEnd) => void
}

export interface DeviceConnection extends ConnectedDevice, Identity {
  id: string
  /** By the clock: when its secret was looked up, when it was last heard. */
  admittedAt: number
  heardAt: () => number
  /** Messages that were stored. */
  stored: () => number
  /** Sends what people want of the device, if it may be told. */
  lookForWork: () => void
  isBegun: () => boolean
  /** Text from the device; of what is stored, `onTaken` hears after the commit. */
  receive: (text: string, onTaken?: OnTaken) => void
  /** A sign of life of the link itself, which costs as much as a message. */
  alive: () => void
  /** Ends what is none of the protocol. */
  broken: (reason: string) => void
  /** Looks at the time; the gateway asks every moment. */
  tick: (now: number) => void
  bye: (code: ByeCode, reason: string, retryIn?: number) => void
  /** The link is closed. */
  ended: (reason: string) => void
}

/** Messages that wait in one connection: what one read of a link holds, which is bounded by bytes. */
const mostWaiting = 64 * messageWindow

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
    onBegun,
    onOffer,
    onEnd,
    onBegunLate,
  }: ConnectionWork,
  admittedAt: number,
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
  let backlog: { text: string; onTaken: OnTaken | undefined }[] = []
  let offered: readonly string[] = []
  let exchanges: Map<number, Exchange> | undefined
  let lastExchange = 0

  interface Exchange {
    until: number
    resolve: (reply: Uint8Array) => void
    reject: (error: Error) => void
  }

  const send = (message: ToDevice) => {
    if (isOver) return
    if (link.waiting() > limits.mostWaiting) return connection.bye('slow', 'it does not read')
    link.send(writeMessage(message))
  }

  const wanted = deviceWork({ deviceId: identity.deviceId, look, send })

  const over = (reason: string, code: DeviceSessionEnd = 'left') => {
    if (isOver) return
    isOver = true
    endedBy = code
    for (const { reject } of exchanges?.values() ?? []) reject(deviceLost('lost'))
    exchanges = undefined
    onEnd(connection, reason, code)
  }

  const broken = (reason: string) => connection.bye('protocol', reason, 60_000 + soon())

  const hasRoom = () => tokens >= 1 && unstored < messageWindow

  function pause() {
    isPaused = true
    link.pause()
  }

  /** Takes what waited as far as its pace allows, and reads on when nothing waits any more. */
  function goOn(now: number) {
    tokens = Math.min(limits.burst, tokens + ((now - filledAt) / 1000) * limits.perSecond)
    filledAt = now
    let taken = 0
    for (const { text, onTaken } of backlog) {
      if (!hasRoom() || isOver) break
      take(text, onTaken)
      taken++
    }
    if (taken > 0) backlog = backlog.slice(taken)
    if (!isPaused || backlog.length > 0 || !hasRoom() || isOver) return
    isPaused = false
    link.resume()
  }

  function take(text: string, onTaken?: OnTaken) {
    tokens--
    const message = readFromDevice(text)
    if (message) handle(message, onTaken)
    else broken('it sent something else than a message')
  }

  function greet(hello: Extract<FromDevice, { t: 'hello' }>, onTaken?: OnTaken) {
    if (isGreeted) return broken('it said hello twice')
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
      nextSeq = Math.max(found.seq + 1, next)
      offered = elements
      onBegun(connection)
      send({
        t: 'welcome',
        device: identity.deviceId,
        seq: found.seq,
        heartbeat: heartbeatSeconds,
        window: messageWindow,
        held: isHeld(),
      })
      onTaken?.(true)
      connection.lookForWork()
    })
  }

  /** Continues with what the database answered, if the connection is still there. */
  function settle<Answer>(asked: Promise<Answer>, work: (answer: Answer) => void) {
    const goOnWith = async () => {
      const answer = await asked
      if (!isOver) work(answer)
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

  const isHeld = () => begun?.state === 'pending' || begun?.state === 'quarantined'

  function keep(message: StoredMessage, onTaken?: OnTaken) {
    // Neither stored nor acknowledged: the device keeps it until people have accepted the device.
    if (isHeld()) return onTaken?.(false)
    const { seq } = message
    if (link.isLossy && message.boot === boot) {
      // `ack` would say that those between are stored; after the next hello they come again.
      if (seq > nextSeq) return connection.bye('unavailable', 'messages were lost on their way')
      nextSeq = Math.max(nextSeq, seq + 1)
    }
    unstored++
    settle(store({ deviceId: identity.deviceId, message }), (isKnown) => {
      unstored--
      if (!isKnown) return broken('its boot was forgotten')
      stored++
      send({ t: 'ack', boot: message.boot, seq })
      onTaken?.(true)
      if (message.t === 'result') settle(wanted.answered(message.id), () => {})
      if (isPaused) goOn(clock())
    })
  }

  function answered(id: number, work: (waiting: Exchange) => void) {
    const waiting = exchanges?.get(id)
    if (!waiting) return broken('it answered what nobody asked')
    exchanges?.delete(id)
    work(waiting)
  }

  function handle(message: FromDevice, onTaken?: OnTaken) {
    if (message.t === 'hello') return greet(message, onTaken)
    if (!begun) return broken('it did not wait for its welcome')
    if (isStored(message)) return keep(message, onTaken)
    if (message.t === 'elements') offer(message.elements)
    else if (message.t === 'reply')
      answered(message.id, ({ resolve }) => resolve(readHex(message.data)))
    else if (message.t === 'failed')
      answered(message.id, ({ reject }) => reject(deviceLost(message.code)))
    onTaken?.(true)
  }

  const connection: DeviceConnection = {
    ...identity,
    id: randomUUID(),
    admittedAt,
    heardAt: () => heard,
    stored: () => stored,
    lookForWork() {
      if (!isOver && begun && !isHeld()) settle(wanted.lookForWork(), () => {})
    },
    isBegun: () => begun !== undefined,
    receive(text, onTaken) {
      if (isOver) return
      heard = clock()
      if (!isPaused) goOn(heard)
      if (!isPaused && hasRoom()) return take(text, onTaken)
      // A link that is paused still hands over what it has read.
      backlog.push({ text, onTaken })
      if (backlog.length > (link.isLossy ? messageWindow : mostWaiting))
        return broken('it sends beyond its window')
      pause()
    },
    alive() {
      if (isOver) return
      heard = clock()
      if (!isPaused) goOn(heard)
      tokens--
      if (tokens < 1) pause()
      // The link answers it.
      if (link.waiting() > limits.mostWaiting) connection.bye('slow', 'it does not read')
    },
    broken,
    tick(now) {
      if (isOver) return
      // Where its program or we were busy: it may come back soon.
      if (!isGreeted && now - openedAt > limits.helloMs)
        return connection.bye('silent', 'it did not say hello')
      // What waits in a paused link is not heard.
      if (!isPaused && now - heard > (link.silenceMs ?? limits.silenceMs))
        return connection.bye('silent', 'it is silent')
      if (isPaused) goOn(now)
      for (const { until } of exchanges?.values() ?? [])
        if (until < now) return connection.bye('slow', 'its element took too long for a command')
    },
    bye(code, reason, retryIn = soon()) {
      if (isOver) return
      link.send(writeMessage({ t: 'bye', code, retryIn }))
      over(reason, code)
      link.close(code, reason)
    },
    ended: (reason) => over(reason),
    isOffering: () => offered.length > 0,
    offers: (cplc) => !isOver && !isHeld() && offered.includes(cplc),
    exchange: ({ session, isFirst, cplc, command }) =>
      new Promise((resolve, reject) => {
        if (!connection.offers(cplc)) return reject(deviceLost('absent'))
        const id = ++lastExchange
        exchanges ??= new Map()
        exchanges.set(id, { until: clock() + limits.replyMs, resolve, reject })
        send({ t: 'exchange', id, session, isFirst, cplc, data: toHex(command) })
      }),
    endSession: (session) => send({ t: 'end', session }),
  }
  return connection
}
