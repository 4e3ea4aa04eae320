import { randomInt, randomUUID } from 'node:crypto'
import { StreamAway, StreamFull } from '../../../../core/stream/stream.ts'
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
  type ToDevice,
} from '@grove/device-protocol/message'
import { readHex, toHex } from '@grove/secure-element/bytes'
import type { DeviceSessionEnd } from '@grove/contract/maple/connect/device-session.rules'
import {
  breach,
  goodbyes,
  mayRead,
  transition,
  type Coming,
  type ConnectionEffect,
  type ConnectionEvent,
  type ConnectionState,
  type Ending,
  type Goodbye,
  type Hello,
  type Kept,
  type LinkKind,
  type Reply,
} from './connection-machine.ts'
import { deviceLost, type ConnectedDevice } from './device-hub.ts'
import { deviceWork, type DesiredNote, type Found, type Looking } from './device-work.ts'
import type { Beginning, Begun, Identity, Offer } from './gateway.queries.ts'
import { Inbox } from './inbox.ts'
import type { Given } from './intake.queries.ts'

/** A WebSocket or a connection of MQTT. */
export interface Link {
  protocol: string
  ip: string
  /** Returns false if it exceeds the device's maximum message length. */
  send: (text: string) => unknown
  /** Bytes that wait for a device that does not read. */
  waiting: () => number
  pause: () => void
  resume: () => void
  close: (code: ByeCode, reason: string) => void
  /** Drops it immediately, without a close. */
  cut: () => void
  /** Maximum silence, if the link agreed on another one than usual. */
  silenceMs?: number
  /** It may lose messages, and delivers more while it is paused: the connection checks for both. */
  isLossy?: boolean
  /** `strict` by default. */
  kind?: LinkKind
}

export interface ConnectionLimits {
  helloMs: number
  silenceMs: number
  /** Time limit of an element's command. */
  replyMs: number
  /** Message burst, and messages per second; a device that sends more waits. */
  burst: number
  perSecond: number
  /** Bytes that may wait for a device that does not read. */
  maxWaiting: number
}

export const ordinaryLimits: ConnectionLimits = {
  helloMs: 10_000,
  silenceMs: silenceSeconds * 1000,
  replyMs: 10_000,
  burst: 200,
  perSecond: 50,
  maxWaiting: 1_000_000,
}

/** The gateway's side, shared by all connections. */
export interface ConnectionWork {
  limits: ConnectionLimits
  /** Milliseconds that never go back. */
  clock: () => number
  begin: (given: Beginning) => Promise<Begun | undefined>
  store: (message: Given) => Promise<boolean>
  onJoin: (connection: DeviceConnection) => void
  /** It offers other elements than before. */
  onOffer: (connection: DeviceConnection) => void
  storeOffer: (offer: Offer) => Promise<void>
  /** What people want of the device now. */
  look: (asked: Looking) => Promise<Found>
  /** Records with the desired state whether it fits the device's maximum message length. */
  noteDesired: (note: DesiredNote) => Promise<void>
  /** Records with a command why it cannot reach the device. */
  refuse: (command: { deviceId: string; id: string; error: string }) => Promise<void>
  onRelease: (connection: DeviceConnection, reason: string) => void
  /** Called if the device was stored as connected, even after the connection ended. */
  onDepart: (connection: DeviceConnection, code: DeviceSessionEnd) => void
  /** An exception ended the connection. */
  onFault: (connection: DeviceConnection, error: unknown) => void
}

/** Which of the stores failed. */
function failureOf(error: unknown): keyof typeof goodbyes {
  if (error instanceof StreamFull) return 'streamFull'
  return error instanceof StreamAway ? 'streamAway' : 'databaseFailed'
}

/** Hellos after the first one. */
const maxHellos = 10
/** The longest time for what a library resends before its program says hello. */
const maxEarlyMs = 300_000

const nothingMore: Coming = {}

interface Exchange {
  until: number
  resolve: (reply: Uint8Array) => void
  reject: (error: Error) => void
}

/**
 * One connection of one device: turns what happens into events of the machine and runs its effects.
 * Nothing a device sends is trusted, and a device that sends too much is read later. There are ten
 * thousand connections in a process, so this is a class, which saves 3.5 KiB of closures in each, and
 * none has a timer.
 */
export class DeviceConnection implements ConnectedDevice {
  readonly id = randomUUID()
  readonly identity: Identity
  readonly #link: Link
  readonly #work: ConnectionWork
  #state: ConnectionState = 'opened'
  #ending: Ending | undefined

  readonly #openedAt: number
  #heardAt: number
  /** The deadline of the hello. */
  #helloBy: number
  /** After the first one. */
  #hellos = 0
  /** The boot of the hello, its last stored message, and the next expected one on a lossy link. */
  #boot = ''
  #lastSeq = 0
  #nextSeq = 1
  #stored = 0
  #offered: readonly string[] = []

  readonly #inbox: Inbox
  readonly #wanted: ReturnType<typeof deviceWork>
  #exchanges: Map<number, Exchange> | undefined
  // A reply resent on the next connection must not match one of its exchanges.
  #lastExchange = randomInt(2 ** 30)

  constructor(identity: Identity, link: Link, work: ConnectionWork) {
    this.identity = identity
    this.#link = link
    this.#work = work
    const { limits, clock, look, refuse, noteDesired } = work
    this.#openedAt = this.#heardAt = clock()
    this.#helloBy = this.#openedAt + limits.helloMs
    this.#inbox = new Inbox(link, limits, this.#openedAt)
    const { deviceId } = identity
    const send = (message: ToDevice) => this.#fits(message)
    this.#wanted = deviceWork({ deviceId, look, refuse, noteDesired, send })
  }

  get deviceId(): string {
    return this.identity.deviceId
  }

  get serviceId(): string | null {
    return this.identity.serviceId
  }

  /** When the device was last heard, by the clock. */
  heardAt(): number {
    return this.#heardAt
  }

  /** The number of stored messages. */
  stored(): number {
    return this.#stored
  }

  isWelcome(): boolean {
    return this.#state === 'online' || this.#state === 'held'
  }

  isOffering(): boolean {
    return this.#offered.length > 0
  }

  offers(cplc: string): boolean {
    return this.#state === 'online' && this.#offered.includes(cplc)
  }

  /** Text from the device. `onTaken` is called after the commit if the message is stored. */
  receive(text: string, coming: Coming = nothingMore): void {
    this.#guard(() => {
      if (this.#state === 'closed') return
      this.#hear()
      if (!this.#inbox.isPaused() && this.#hasRoom()) return this.#take(text, coming)
      if (!this.#inbox.add({ text, coming })) this.end('overflow')
    })
  }

  /** A sign of life of the link itself; it counts as a message. */
  alive(): void {
    this.#guard(() => {
      if (this.#state === 'closed') return
      this.#hear()
      if (!this.#inbox.spend(1)) this.#inbox.pause()
      // The link replies to it.
      if (this.#isUnread()) this.end('unread')
    })
  }

  /** Checks the timeouts; called periodically. */
  tick(now: number): void {
    this.#guard(() => {
      if (now > this.#helloBy) this.#on({ type: 'helloOverdue' })
      const silenceMs = this.#link.silenceMs ?? this.#work.limits.silenceMs
      // A paused link is not read.
      if (!this.#inbox.isPaused() && now - this.#heardAt > silenceMs) this.end('silence')
      if (this.#inbox.isPaused()) this.#goOn(now)
      for (const { until } of this.#exchanges?.values() ?? [])
        if (until < now) return this.end('slowElement')
    })
  }

  /** Sends commands and the desired state, if the device may have them. */
  lookForWork(): void {
    this.#on({ type: 'work' })
  }

  /** Closes with a goodbye. */
  end(why: keyof typeof goodbyes): void {
    this.#on({ type: 'end', goodbye: goodbyes[why] })
  }

  /** Closes on a violation of the link's protocol. */
  broken(reason: string): void {
    this.#on({ type: 'end', goodbye: breach(reason) })
  }

  /** The link has closed. */
  ended(reason: string): void {
    this.#on({ type: 'linkClosed', reason })
  }

  /** An exception ends only the connection that caused it. */
  failed(error: unknown): void {
    this.#move({ type: 'fault', error })
  }

  exchange(asked: Parameters<ConnectedDevice['exchange']>[0]): Promise<Uint8Array> {
    const { session, isFirst, cplc, command } = asked
    return new Promise((resolve, reject) => {
      if (!this.offers(cplc)) return reject(deviceLost('absent'))
      const id = ++this.#lastExchange
      const { clock, limits } = this.#work
      this.#exchanges ??= new Map()
      this.#exchanges.set(id, { until: clock() + limits.replyMs, resolve, reject })
      if (this.#fits({ t: 'exchange', id, session, isFirst, cplc, data: toHex(command) })) return
      this.#exchanges.delete(id)
      reject(deviceLost('tooLong'))
    })
  }

  endSession(session: string): void {
    this.#fits({ t: 'end', session })
  }

  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.failed(error)
    }
  }

  #on(event: ConnectionEvent): void {
    this.#guard(() => this.#move(event))
  }

  #move(event: ConnectionEvent): void {
    const [next, ...effects] = transition(this.#link.kind ?? 'strict', this.#state, event)
    this.#state = next
    for (const effect of effects) {
      // A previous effect closed the connection.
      if (this.#state !== next) return
      this.#run(effect)
    }
  }

  #run(effect: ConnectionEffect): void {
    switch (effect.type) {
      case 'begin':
        return this.#begin(effect.hello, effect.coming)
      case 'join':
        return this.#join(effect.begun, effect.hello)
      case 'welcome':
        return this.#welcome()
      case 'welcomeAgain':
        return this.#welcomeAgain(effect.hello)
      case 'confirm':
        return effect.coming.onTaken?.(effect.outcome)
      case 'lookForWork':
        return this.#settle(this.#wanted.lookForWork())
      case 'wait':
        return this.#wait()
      case 'store':
        return this.#store(effect.kept, effect.isEarly)
      case 'count':
        return this.#count(effect.kept)
      case 'acknowledge':
        return this.#acknowledge(effect.kept)
      case 'offer':
        return this.#offer(effect.elements)
      case 'settle':
        return this.#reply(effect.reply)
      case 'release':
        return this.#release(effect.ending)
      case 'depart':
        return this.#work.onDepart(this, this.#ending?.code ?? 'left')
      case 'bye':
        return this.#bye(effect.goodbye)
      case 'fail':
        this.#work.onFault(this, effect.error)
        return this.#link.cut()
    }
  }

  #isUnread(): boolean {
    return this.#link.waiting() > this.#work.limits.maxWaiting
  }

  #send(message: ToDevice): unknown {
    if (this.#state === 'closed') return
    if (this.#isUnread()) return this.end('unread')
    return this.#link.send(writeMessage(message))
  }

  /** Returns false if the message is longer than the device accepts. */
  #fits(message: ToDevice): boolean {
    let isTaken: unknown
    this.#guard(() => (isTaken = this.#send(message)))
    return isTaken !== false
  }

  /** Continues with the database's answer, even after the connection has closed. */
  #settle<Answer>(asked: Promise<Answer>, work: (answer: Answer) => void = () => {}): void {
    asked.then(
      (answer) =>
        this.#guard(() => {
          work(answer)
          if (this.#inbox.isPaused()) this.#goOn(this.#work.clock())
        }),
      (error) => this.end(failureOf(error)),
    )
  }

  #hear(): void {
    this.#heardAt = this.#work.clock()
    if (!this.#inbox.isPaused()) this.#goOn(this.#heardAt)
  }

  #hasRoom(): boolean {
    const mayTake = this.#state !== 'closed' && mayRead(this.#link.kind ?? 'strict', this.#state)
    return mayTake && this.#inbox.hasRoom()
  }

  /** Processes queued messages as the pace allows, and resumes reading once the queue is empty. */
  #goOn(now: number): void {
    this.#inbox.refill(now)
    while (this.#hasRoom()) {
      const next = this.#inbox.next()
      if (!next) return this.#inbox.resume()
      this.#take(next.text, next.coming)
    }
  }

  #take(text: string, coming: Coming): void {
    // An oversized message counts as several.
    this.#inbox.spend(Math.max(1, Math.ceil(text.length / maxMessageLength)))
    const message = readFromDevice(text)
    if (message) return this.#hears(message, coming)
    const refusal = refusalOf(text)
    if (!refusal) return this.end('garbage')
    const outcome = refusal.isTooLong ? 'tooLong' : 'unreadable'
    this.#keep({ message: refusal.refused, coming, outcome, command: refusal.command })
  }

  #hears(message: FromDevice, coming: Coming): void {
    if (message.t === 'hello') return this.#greeted(message, coming)
    if (isStored(message)) {
      const command = message.t === 'result' ? message.id : undefined
      return this.#keep({ message, coming, outcome: 'done', command })
    }
    if (coming.isRepeated || message.t === 'heartbeat') return this.#on({ type: 'aside', coming })
    if (message.t === 'elements')
      return this.#on({ type: 'elements', elements: message.elements, coming })
    if (!this.#exchanges?.has(message.id)) return this.#on({ type: 'strayReply', coming })
    this.#on({ type: 'reply', reply: message, coming })
  }

  #greeted(hello: Hello, coming: Coming): void {
    if (coming.isRepeated) return this.#on({ type: 'repeatedHello', hello, coming })
    if (this.#hellos >= maxHellos) return this.end('secondHello')
    this.#on({ type: hello.boot === this.#boot ? 'hello' : 'otherHello', hello, coming })
  }

  #keep(kept: Kept): void {
    const { boot, seq } = kept.message
    const isAfterGap = this.#link.isLossy === true && boot === this.#boot && seq > this.#nextSeq
    this.#on({ type: isAfterGap ? 'messageAfterGap' : 'message', kept })
  }

  #begin(hello: Hello, coming: Coming): void {
    this.#helloBy = Infinity
    this.#boot = hello.boot
    const { agent = null, firmware = null, elements = [], boot } = hello
    const { protocol, ip } = this.#link
    const said = { boot, agent, firmware, elements }
    const given = { ...this.identity, connectionId: this.id, protocol, ip, ...said }
    this.#settle(this.#work.begin(given), (begun) => {
      if (!begun) return this.end('gone')
      const isAccepted = begun.state !== 'pending' && begun.state !== 'quarantined'
      this.#on({ type: isAccepted ? 'accepted' : 'notAccepted', begun, hello, coming })
    })
  }

  #join({ seq }: Begun, { elements = [], next = 1 }: Hello): void {
    this.#lastSeq = seq
    this.#nextSeq = Math.max(seq + 1, next)
    this.#offered = elements
    this.#work.onJoin(this)
  }

  #welcome(): void {
    this.#send({
      t: 'welcome',
      device: this.deviceId,
      seq: this.#lastSeq,
      heartbeat: heartbeatSeconds,
      window: messageWindow,
      held: this.#state === 'held',
    })
  }

  #welcomeAgain({ elements = [] }: Hello): void {
    this.#hellos++
    if (elements.join() !== this.#offered.join()) this.#offer(elements)
    this.#welcome()
  }

  #wait(): void {
    const at = Math.min(this.#work.clock(), this.#openedAt + maxEarlyMs)
    this.#helloBy = Math.max(this.#helloBy, at + this.#work.limits.helloMs)
  }

  #store(kept: Kept, isEarly: boolean): void {
    const { message, command } = kept
    if (message.boot === this.#boot) this.#nextSeq = Math.max(this.#nextSeq, message.seq + 1)
    this.#inbox.countUnstored(1)
    const answer = command !== undefined && { command }
    const given = { deviceId: this.deviceId, message, isEarly, ...answer }
    this.#settle(this.#work.store(given), (isStored) => {
      this.#inbox.countUnstored(-1)
      if (isStored) return this.#on({ type: 'stored', kept })
      if (isEarly) return this.#on({ type: 'notStored', kept })
      this.end('forgottenBoot')
    })
  }

  #count({ message }: Kept): void {
    if (message.t !== 'refused') this.#stored++
    if (message.boot === this.#boot) this.#lastSeq = Math.max(this.#lastSeq, message.seq)
  }

  #acknowledge({ message, command }: Kept): void {
    if (message.t === 'refused') this.#send(message)
    // Devices that do not know `refused` would otherwise resend it.
    this.#send({ t: 'ack', boot: message.boot, seq: message.seq })
    if (command !== undefined) this.#settle(this.#wanted.answered(command))
  }

  #offer(elements: readonly string[]): void {
    this.#offered = elements
    this.#work.onOffer(this)
    const { deviceId, id: connectionId } = this
    this.#settle(this.#work.storeOffer({ deviceId, connectionId, elements }))
  }

  #reply(reply: Reply): void {
    const waiting = this.#exchanges?.get(reply.id)
    this.#exchanges?.delete(reply.id)
    if (reply.t === 'reply') waiting?.resolve(readHex(reply.data))
    else waiting?.reject(deviceLost(reply.code))
  }

  #release(ending: Ending): void {
    this.#ending = ending
    for (const { reject } of this.#exchanges?.values() ?? []) reject(deviceLost('lost'))
    this.#exchanges = undefined
    this.#work.onRelease(this, ending.reason)
  }

  #bye({ code, reason, waitMs, spreadMs }: Goodbye): void {
    // Devices disconnected at the same time should not reconnect at the same time.
    const retryIn = waitMs + Math.ceil(Math.random() * spreadMs)
    this.#link.send(writeMessage({ t: 'bye', code, retryIn }))
    this.#link.close(code, reason)
  }
}
