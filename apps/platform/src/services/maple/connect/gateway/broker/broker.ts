import type { FastifyBaseLogger } from 'fastify'
import type { IPublishPacket } from 'mqtt-packet'
import { messageWindow, mqttTopics } from '@grove/device-protocol/limits'
import { readFromDevice, writeMessage, type ToDevice } from '@grove/device-protocol/message'
import type { MapleDb } from '../../../base/tables.ts'
import type { DeviceConnection, Link } from '../device-connection.ts'
import type { Gateway } from '../gateway.ts'
import { answerTopic, brokerAccounts, type BrokerAccounts } from './broker-accounts.ts'
import { BrokerRefusal, connectBroker, type BrokerClient } from './broker-client.ts'
import { holdBroker, leaveBroker, type AtBroker } from './broker.queries.ts'

/** Of all devices; the name in the middle is the account, to which the broker's rules bind it. */
const everyDevice = mqttTopics('+').up
const topicOfDevice = /^d\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/up$/

/** Nothing is heard for so long of a device that broke the protocol or sent too fast. */
const shutMs = 60_000
/** How often devices are asked to send hello, and how often they may send it. */
const againMs = 10_000
const maxHellos = 10
/** Devices that meet a new process send hello within this time. */
const spreadMs = 20_000
/** Messages not stored yet: beyond it the broker holds back the next ones. */
const maxUnstored = 10_000

interface Options {
  url: string
  db: MapleDb
  gatewayId: string
  gateway: Gateway
  /** Opens sealed secrets of accounts. */
  secret: string
  log: Pick<FastifyBaseLogger, 'info' | 'warn'>
  pace?: { tickMs: number; holdMs: number; retryMs: number }
}

/** A device that sent hello through the broker. */
interface Guest {
  /** Its messages before the welcome. */
  early: string[]
  connection?: DeviceConnection
}

const ordinaryPace = { tickMs: 500, holdMs: 5000, retryMs: 5000 }

/**
 * Devices that connect to a broker, which forwards their messages. One process is its client, so that
 * the messages of a device stay in order; when it dies, another one takes over. The sender is
 * identified by the topic that the broker allows an account; neither client ids nor message contents
 * can claim it.
 */
export function openBroker({ url, db, gatewayId, gateway, secret, log, pace }: Options) {
  const { tickMs, holdMs, retryMs } = pace ?? ordinaryPace
  const clock = () => performance.now()
  const guests = new Map<string, Guest>()
  const shutUntil = new Map<string, number>()
  /** Recent hellos, and devices that were asked to send one. */
  const hellos = new Map<string, number>()
  const reminded = new Set<string>()
  let remindedAt = clock()
  let link: { client: BrokerClient; accounts: BrokerAccounts; isReady: boolean } | undefined
  let problem: AtBroker['problem'] = null
  let isPaused = false
  let isClosed = false
  let heldUntil = 0
  let nextHoldAt = 0
  let nextTryAt = 0

  const say = (user: string, message: ToDevice | string) =>
    link?.client.publish(
      mqttTopics(user).down,
      typeof message === 'string' ? message : writeMessage(message),
    )

  /** A device without a connection here is asked for a hello, immediately or a little later. */
  function remind(user: string, withinMs: number) {
    if (reminded.has(user)) return
    reminded.add(user)
    say(user, { t: 'bye', code: 'unavailable', retryIn: Math.ceil(Math.random() * withinMs) })
  }

  function heard({ topic, payload, retain }: IPublishPacket) {
    if (topic === answerTopic) return link?.accounts.heard(payload.toString())
    const user = topicOfDevice.exec(topic)?.[1]
    // A broker that retains messages would repeat them to each new process.
    if (user === undefined || retain) return
    if ((shutUntil.get(user) ?? 0) > clock()) return
    const text = payload.toString()
    const guest = guests.get(user)
    if (text.includes('"hello"') && readFromDevice(text)?.t === 'hello') return greet(user, text)
    if (!guest) return remind(user, spreadMs)
    if (guest.early.length >= messageWindow) return shut(user, guest)
    if (guest.connection?.isWelcome()) guest.connection.receive(text)
    else guest.early.push(text)
    if (gateway.unstored() > maxUnstored) pause()
  }

  function shut(user: string, guest: Guest) {
    shutUntil.set(user, clock() + shutMs)
    guest.connection?.broken('it did not wait for its welcome')
    guests.delete(user)
  }

  function greet(user: string, text: string) {
    const count = (hellos.get(user) ?? 0) + 1
    hellos.set(user, count)
    if (count > maxHellos) return
    // It has one topic: a goodbye to its former connection would be one to this one.
    guests.get(user)?.connection?.ended('it connected again')
    const guest: Guest = { early: [] }
    guests.set(user, guest)
    admit(user, text, guest).catch(() => {
      if (guests.get(user) !== guest) return
      guests.delete(user)
      remind(user, spreadMs)
    })
  }

  async function admit(user: string, hello: string, guest: Guest) {
    const admission = await gateway.admit({ credentialId: user })
    if (guests.get(user) !== guest) return
    if (admission === 'wrong' || 'retryAfter' in admission) {
      guests.delete(user)
      return say(
        user,
        admission === 'wrong'
          ? { t: 'bye', code: 'changed', retryIn: 3_600_000 }
          : { t: 'bye', code: 'unavailable', retryIn: admission.retryAfter * 1000 },
      )
    }
    const connection = gateway.connect(admission.identity, linkOf(user, guest))
    guest.connection = connection
    connection.receive(hello, {
      onTaken() {
        for (const text of guest.early.splice(0)) connection.receive(text)
      },
    })
  }

  const linkOf = (user: string, guest: Guest): Link => ({
    protocol: 'mqtt broker',
    ip: '',
    send: (text) => say(user, text),
    // The broker queues what a device does not read, up to its limit.
    waiting: () => 0,
    isLossy: true,
    pause: () => {},
    resume: () => {},
    close(code) {
      if (guests.get(user) === guest) guests.delete(user)
      if (code === 'protocol' || code === 'slow') shutUntil.set(user, clock() + shutMs)
      // It has its goodbye; messages that it sent before receiving it trigger no other.
      reminded.add(user)
    },
    cut() {
      if (guests.get(user) === guest) shut(user, guest)
    },
  })

  function pause() {
    if (isPaused) return
    isPaused = true
    link?.client.pause()
  }

  function resume() {
    isPaused = false
    link?.client.resume()
  }

  function lost(reason: string) {
    if (!link) return
    link = undefined
    // Pages show it immediately.
    nextHoldAt = 0
    isPaused = false
    const all = [...guests.values()]
    guests.clear()
    for (const { connection } of all) connection?.ended('the broker is away')
    if (!isClosed) log.warn({ reason }, 'The connection to the broker ended')
  }

  async function open() {
    const client = await connectBroker({ url, onMessage: heard, onEnd: lost })
    const accounts = brokerAccounts(client, { db, secret, log })
    const opened = { client, accounts, isReady: false }
    link = opened
    await client.subscribe([answerTopic])
    await accounts.refuseByDefault()
    await client.subscribe([everyDevice])
    opened.isReady = true
    problem = null
    nextHoldAt = 0
    log.info({}, 'Devices can connect by the broker')
  }

  async function tick() {
    const at = clock()
    if (at - remindedAt > againMs) {
      remindedAt = at
      reminded.clear()
      hellos.clear()
      for (const [user, until] of shutUntil) if (until < at) shutUntil.delete(user)
    }
    if (isPaused && gateway.unstored() < maxUnstored / 2) resume()
    if (at >= nextHoldAt) {
      nextHoldAt = at + holdMs
      const isConnected = link?.isReady === true
      heldUntil = (await holdBroker(db, gatewayId, { isConnected, problem })) ? at + 2 * holdMs : 0
    }
    if (at >= heldUntil) return link?.client.end()
    if (link?.isReady) {
      // A thousand accounts take half a minute, and the lock must be renewed meanwhile.
      working ??= link.accounts
        .work()
        .catch(warn)
        .finally(() => (working = undefined))
    }
    if (link || at < nextTryAt) return
    nextTryAt = at + retryMs * (0.5 + Math.random())
    await open().catch((error: unknown) => {
      problem = error instanceof BrokerRefusal ? 'refused' : 'unreachable'
      nextHoldAt = 0
      link?.client.end()
      throw error
    })
  }

  const warn = (error: unknown) =>
    log.warn(
      { reason: error instanceof Error ? error.message : 'unknown' },
      'The broker of MQTT_URL cannot be used',
    )
  let working: Promise<void> | undefined
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= tick()
      .catch(warn)
      .finally(() => (running = undefined))
  }, tickMs)
  timer.unref()

  return {
    isConnected: () => link?.isReady === true,
    /** Closed after the gateway, whose goodbyes to devices it carries. */
    async close() {
      isClosed = true
      clearInterval(timer)
      await running
      link?.client.end()
      await leaveBroker(db, gatewayId).catch(() => {})
    },
  }
}

export type Broker = ReturnType<typeof openBroker>
