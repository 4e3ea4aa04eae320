import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import type { Member, Processes } from './processes.ts'

/** Readers that request one list after another without a pause. */
const readers = 3
const writers = 3
const changePauseMs = 20
const signInPauseMs = 500
const messagePauseMs = 20

const lists = [
  '/api/maple/device',
  '/api/maple/se/element',
  '/api/developer/product',
  '/api/maple/event',
  '/api/user/info',
  '/.well-known/jwks.json',
]

/** The maximum length of a title. */
const newName = () => randomUUID().slice(0, 30)

/** Sent requests and acknowledged writes. */
export interface Seen {
  requests: number
  writes: number
  /** Each names the call and the reason. */
  failures: string[]
  /** The last acknowledged name of each device, and title of each app. */
  devices: Map<string, string>
  products: Map<string, string>
  /** Later writes without an answer, by the same ids: they may have been applied. */
  doubtful: Map<string, string[]>
  /** The device that sends messages, its last acknowledged message, and its number of connections. */
  sender: { id: string; acknowledged: number; connections: number }
}

interface LoadOptions {
  /** The URL for the device, if it differs. */
  devicesAt?: string
  /** The pause after each list, in milliseconds. */
  readPauseMs?: number
}

/** Milliseconds after which people sign in again: an access token is valid for ten minutes. */
const signedInMs = 240_000

/**
 * People who sign in, read and write, and a device that sends messages, all through one URL, until
 * `stop` is called.
 */
export async function startLoad(
  world: Processes,
  at: { url: string },
  admin: Member,
  { devicesAt = at.url, readPauseMs = 0 }: LoadOptions = {},
) {
  const seen: Seen = {
    requests: 0,
    writes: 0,
    failures: [],
    devices: new Map(),
    products: new Map(),
    doubtful: new Map(),
    sender: { id: randomUUID(), acknowledged: 0, connections: 0 },
  }
  const ending = new AbortController()
  const isOver = () => ending.signal.aborted

  async function call(
    method: string,
    path: string,
    body?: object,
    by: string = admin.authorization,
  ) {
    seen.requests += 1
    if (method !== 'GET') seen.writes += 1
    const failed = (reason: unknown) => {
      seen.failures.push(`${new Date().toISOString()} ${method} ${path}: ${String(reason)}`)
      return undefined
    }
    try {
      const answer = await world.call(at, method, path, by, body)
      return answer.status < 300
        ? answer
        : failed(`${answer.status} ${JSON.stringify(answer.body)}`)
    } catch (error) {
      return failed((error as Error).cause ?? error)
    }
  }

  async function read(first: number) {
    for (let turn = first; !isOver(); turn += 1) {
      await call('GET', lists[turn % lists.length] ?? '')
      if (readPauseMs > 0) await wait(readPauseMs)
    }
  }

  /** Creates a device and an app from time to time, and renames them in between. */
  async function write(by: Member) {
    const change = async (path: string, into: Map<string, string>, id: string, body: object) => {
      const name = newName()
      const isKept = await call(
        'PUT',
        path,
        'name' in body ? { name } : titled(name),
        by.authorization,
      )
      if (isKept) {
        into.set(id, name)
        seen.doubtful.delete(id)
      } else if (into.has(id)) seen.doubtful.set(id, [...(seen.doubtful.get(id) ?? []), name])
    }
    const titled = (title: string) => ({ translations: [{ localeCode: 'en-US', title }] })
    let product: string | undefined
    let device = ''
    let signedInAt = performance.now()
    for (let turn = 0; !isOver(); turn += 1) {
      if (performance.now() - signedInAt > signedInMs && (await signInOnce(by)))
        signedInAt = performance.now()
      if (turn % 20 === 0) {
        const [id, name] = [randomUUID(), newName()]
        if (await call('POST', '/api/maple/device', { id, name, type: 'iot' }, by.authorization)) {
          seen.devices.set(id, name)
          device = id
        }
      } else if (turn % 2 === 0)
        await change(`/api/maple/device?id=${device}`, seen.devices, device, { name: '' })
      else if (product === undefined) {
        const title = newName()
        const made = await call('POST', '/api/developer/product', titled(title), by.authorization)
        product = made?.body.productId as string | undefined
        if (product) seen.products.set(product, title)
      } else await change(`/api/developer/product/${product}`, seen.products, product, titled(''))
      await wait(changePauseMs)
    }
  }

  async function signInOnce(who: Member) {
    seen.requests += 1
    seen.writes += 1
    try {
      who.authorization = `Bearer ${(await world.signIn(at, who.email)).accessToken}`
      return true
    } catch (error) {
      seen.failures.push(`${new Date().toISOString()} sign-in: ${(error as Error).message}`)
      return false
    }
  }

  async function signIn(who: Member) {
    while (!isOver()) {
      await signInOnce(who)
      await wait(signInPauseMs)
    }
  }

  /** Numbers its messages, and resends what was not acknowledged before its connection ended. */
  async function send() {
    const { sender } = seen
    const { id } = sender
    const device = { id, name: id, type: 'iot', state: 'accepted' }
    await world.made(at, '/api/maple/device', admin.authorization, device)
    const { secret } = await world.made(at, '/api/maple/device/credential', admin.authorization, {
      deviceId: id,
    })
    while (!isOver()) {
      const socket = new WebSocket(devicesAt.replace(/^http/, 'ws') + deviceSocketPath, {
        headers: { authorization: `Bearer ${secret}` },
      })
      socket.on('error', () => {})
      let next = Number.POSITIVE_INFINITY
      socket.on('open', () => socket.send('{"t":"hello","v":1,"boot":"load"}'))
      socket.on('message', (data: Buffer) => {
        const { t, seq } = JSON.parse(data.toString()) as { t: string; seq: number }
        if (t === 'welcome') {
          sender.connections += 1
          next = seq + 1
        }
        if (t === 'welcome' || t === 'ack') sender.acknowledged = Math.max(sender.acknowledged, seq)
        if (t === 'bye') socket.close()
      })
      const timer = setInterval(() => {
        if (next - sender.acknowledged > 50) return
        socket.send(JSON.stringify({ t: 'telemetry', boot: 'load', seq: next, d: { n: next } }))
        next += 1
      }, messagePauseMs)
      const closed = once(socket, 'close')
      ending.signal.addEventListener('abort', () => socket.close(), { once: true })
      await closed
      clearInterval(timer)
      await wait(100)
    }
  }

  const people = await Promise.all(Array.from({ length: writers }, () => world.member(at, 'ADMIN')))
  const work = Promise.all([
    ...Array.from({ length: readers }, (_, index) => read(index)),
    ...people.map(write),
    signIn(admin),
    send(),
  ])
  return {
    seen,
    async stop() {
      ending.abort()
      await work
    },
  }
}
