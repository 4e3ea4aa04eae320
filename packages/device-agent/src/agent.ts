import { protocolVersion } from '@grove/device-protocol/limits'
import {
  readToDevice,
  writeMessage,
  type FromDevice,
  type ToDevice,
} from '@grove/device-protocol/message'
import { pauseAfter, pauseBefore, stableMs } from './back-off.ts'
import type { Command } from './command-station.ts'
import type { Desired } from './desired-station.ts'
import { elementStation, type OfferedElement } from './element-station.ts'
import type { TlsKeys } from './link.ts'
import { mqttLink } from './mqtt-link.ts'
import type { Outbox } from './outbox.ts'
import { webSocketLink } from './web-socket-link.ts'

export interface AgentOptions {
  platform: string
  /** `mqtt://host:port` or `mqtts://host:port`, instead of a WebSocket to the platform. */
  mqtt?: string | undefined
  /** Omitted by a device that presents a certificate. */
  secret?: string | undefined
  keys?: TlsKeys | undefined
  outbox: Outbox
  /** The current ones; `Agent.announce` reports changes. */
  elements: () => readonly OfferedElement[]
  /** Read before each hello, if it may change. */
  firmware: string | (() => string)
  say: (line: string) => void
  signal: AbortSignal
  onWelcome?: (welcome: Extract<ToDevice, { t: 'welcome' }>) => void
  /** Answers go to the outbox. */
  onCommand?: (command: Command) => void
  onDesired?: (desired: Desired) => void
  /** Delay before a failed connection is retried, in milliseconds; tests use shorter ones. */
  pause?: (attempt: number) => number
}

/** The platform no longer accepts this device's secret or certificate. */
export class DeviceRefused extends Error {
  constructor(hasSecret = true) {
    super(
      hasSecret
        ? 'The platform does not know this device any more. Claim it again.'
        : 'The platform refuses the certificate of this device. Its log and the page of the product say why.',
    )
    this.name = 'DeviceRefused'
  }
}

/** Maximum wait for a welcome. */
const welcomeMs = 30_000

/** The name and version that the platform shows. */
export const agentName = 'grove-device 0.1.0'

interface Ways {
  /** Immediately sends what was added to the outbox. */
  flush: () => void
  /** Sends hello again, as after a restart. */
  reconnect: () => void
  /** Announces the current elements, if they changed since the last announcement. */
  announce: () => void
}
const noWays: Ways = { flush: () => {}, reconnect: () => {}, announce: () => {} }

export interface Agent extends Ways {
  ended: Promise<void>
}

/**
 * Keeps a device connected until the signal aborts. The outbox is sent when there is a connection,
 * and resent if not acknowledged.
 * @throws DeviceRefused from `ended`.
 */
export function runAgent(options: AgentOptions): Agent {
  let ways: Ways = noWays
  const run = async () => {
    const { signal, say, pause = pauseBefore } = options
    // Shared by all connections: the next one waits until the previous one has released an element.
    const station = elementStation(options.elements)
    for (let failures = 0; !signal.aborted;) {
      const found = await connectOnce(options, station, (given) => (ways = given))
      const { heldMs, reason, retryIn } = found
      ways = noWays
      options.outbox.hold()
      if (signal.aborted) return
      if (heldMs > stableMs) failures = 0
      // A platform that says when to come back is healthy: this does not count as a failure.
      const wait = retryIn > 0 ? pauseAfter(retryIn) : pause(failures++)
      say(`The connection ended: ${reason}. Trying again in ${Math.ceil(wait / 1000)} s.`)
      await sleep(wait, signal)
    }
  }
  const ended = run()
  return {
    flush: () => ways.flush(),
    reconnect: () => ways.reconnect(),
    announce: () => ways.announce(),
    ended,
  }
}

interface Attempt {
  /** How long the connection had been welcomed. */
  heldMs: number
  reason: string
  /** Delay that the platform requested, in milliseconds. */
  retryIn: number
}

async function connectOnce(
  options: AgentOptions,
  station: ReturnType<typeof elementStation>,
  onReady: (ways: Ways) => void,
): Promise<Attempt> {
  const { platform, mqtt, secret, keys, outbox, firmware, say, signal } = options
  let bye: Extract<ToDevice, { t: 'bye' }> | undefined
  let welcomedAt: number | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let patience: NodeJS.Timeout | undefined

  const send = (message: FromDevice) => link.send(writeMessage(message))
  let said: string[] = []
  const offered = () => (said = options.elements().map(({ cplc }) => cplc))
  const announce = () => {
    const before = said.join()
    const elements = offered()
    if (elements.join() !== before) send({ t: 'elements', elements })
  }
  const flush = () => {
    for (const message of outbox.take()) send(message)
  }
  const handle = (message: ToDevice) => {
    if (message.t === 'welcome') {
      welcomedAt = performance.now()
      clearTimeout(patience)
      heartbeat = setInterval(() => send({ t: 'heartbeat' }), message.heartbeat * 1000)
      heartbeat.unref()
      options.onWelcome?.(message)
      if (message.held) return say('Connected. People have not accepted this device yet.')
      say(`Connected to ${mqtt ?? platform} as ${message.device}.`)
      if (!outbox.resume(message.seq, message.window)) return link.close()
      onReady({ flush, reconnect: link.close, announce })
      announce()
      flush()
    } else if (message.t === 'ack') {
      if (message.boot !== outbox.boot) return
      outbox.acked(message.seq)
      flush()
    } else if (message.t === 'refused') {
      if (message.boot !== outbox.boot) return
      outbox.drop(message.seq)
      say(`The platform refused message ${message.seq}: ${message.error}`)
    } else if (message.t === 'command') options.onCommand?.(message)
    else if (message.t === 'desired') options.onDesired?.(message)
    else if (message.t === 'exchange') station.exchange(message, send)
    else if (message.t === 'end') station.end(message.session)
    else if (message.t === 'bye') {
      bye = message
      link.close()
    }
  }
  const link = (mqtt === undefined ? webSocketLink : mqttLink)({
    address: mqtt ?? platform,
    secret,
    keys,
    onOpen() {
      // A broker in front of the platform accepts a hello that nobody reads.
      patience = setTimeout(link.close, welcomeMs)
      send({
        t: 'hello',
        v: protocolVersion,
        boot: outbox.boot,
        agent: agentName,
        firmware: typeof firmware === 'string' ? firmware : firmware(),
        elements: offered(),
        next: outbox.next(),
      })
    },
    onText(text) {
      const message = readToDevice(text)
      // Messages of newer platforms are ignored.
      if (message) handle(message)
    },
  })
  signal.addEventListener('abort', link.close, { once: true })
  const end = await link.ended
  clearInterval(heartbeat)
  clearTimeout(patience)
  signal.removeEventListener('abort', link.close)
  station.end()
  if (end.isRefused) throw new DeviceRefused(secret !== undefined)
  return {
    heldMs: welcomedAt === undefined ? 0 : performance.now() - welcomedAt,
    reason: bye ? `the platform says ${bye.code}` : end.reason || 'the platform closed it',
    retryIn: bye?.retryIn ?? end.retryIn,
  }
}

export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
