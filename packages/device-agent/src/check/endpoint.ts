import { WebSocket } from 'ws'
import { deviceSocketPath, protocolVersion } from '@grove/device-protocol/limits'
import {
  readToDevice,
  writeMessage,
  type FromDevice,
  type ToDevice,
} from '@grove/device-protocol/message'
import { agentName } from '../agent.ts'
import { claim, newIdentity, type Identity } from '../identity.ts'
import { newBoot } from '../journal.ts'
import { mqttLink } from '../mqtt-link.ts'
import { webSocketLink } from '../web-socket-link.ts'
import { expected, inbox, type StepRunner } from './steps.ts'

type Of<Kind extends ToDevice['t']> = Extract<ToDevice, { t: Kind }>

interface Endpoint {
  url: string
  code: string
  mqtt: string | undefined
}

/**
 * Connects to a platform as a device would, and reports step by step whether it answers correctly.
 */
export async function checkEndpoint(
  { url, code, mqtt }: Endpoint,
  { step, note }: StepRunner,
): Promise<void> {
  const identity = newIdentity(`check-${newBoot().slice(0, 8)}`)
  note(`The device ${identity.id} of this check stays; retire it when you do not need it.`)
  await step('A claim code that does not exist is refused', async () => {
    const { id, secret } = identity
    const status = await statusOfClaim(url, { code: '0000-0000-0000', id, secret })
    expected(status >= 400 && status < 500, `The answer was ${status}, and should be 4xx.`)
  })
  const claimed = await step('The claim code gives the device its secret', () =>
    claim(url, identity, { code }),
  )
  if (!claimed) return
  await step(
    'The same claim again gets the same answer, so that a lost answer strands nobody',
    () => claim(url, identity, { code }),
  )
  await step('The same device with another secret does not get in by the code alone', async () => {
    const { id, secret } = newIdentity(identity.id)
    const status = await statusOfClaim(url, { code, id, secret })
    expected(status >= 400 && status < 500, `The answer was ${status}, and should be 4xx.`)
  })
  await step('A page of a browser cannot connect', async () => {
    const status = await statusOfUpgrade(url, identity.secret, { origin: 'https://example.com' })
    expected(status === 403, `The answer was ${status}, and should be 403.`)
  })
  await checkLink('WebSocket', url, identity, false, { step, note })
  if (mqtt !== undefined) await checkLink('MQTT', mqtt, identity, true, { step, note })
}

async function checkLink(
  name: string,
  address: string,
  { id, secret }: Identity,
  isMqtt: boolean,
  { step, note }: Pick<StepRunner, 'step' | 'note'>,
): Promise<void> {
  const open = (as = secret) => openDevice(address, as, isMqtt)
  const boot = newBoot()
  const event = (seq: number, of = boot): FromDevice => ({ t: 'event', boot: of, seq, d: { seq } })
  const opened: ReturnType<typeof open>[] = []
  /** A welcomed connection. */
  const begin = async (of = boot) => {
    const device = open()
    opened.push(device)
    await device.opened
    device.say({ t: 'hello', v: protocolVersion, boot: of, agent: agentName })
    return { ...device, welcome: await device.until('welcome') }
  }

  await step(`${name}: a wrong secret is refused`, async () => {
    const end = await open(newIdentity(id).secret).ended
    expected(end.isRefused, `The connection ended otherwise: ${end.reason || 'without a word'}.`)
  })
  const first = await step(`${name}: hello is answered with a welcome`, async () => {
    const device = await begin()
    const { device: named, seq, window, heartbeat } = device.welcome
    expected(named === id, `The welcome is for ${named}.`)
    expected(seq === 0, `Nothing was sent in this boot, but the welcome says seq ${seq}.`)
    expected(window >= 1 && heartbeat >= 1, 'window and heartbeat should be 1 or more.')
    return device
  })
  if (!first) return
  if (first.welcome.held) {
    note('People have not accepted the device, so nothing that it sends is stored.')
    note('For the other steps use a claim code whose devices are accepted.')
    return first.close()
  }
  await step(`${name}: an event is acknowledged`, async () => {
    first.say(event(1))
    await first.ack(1)
  })
  await step(`${name}: the same event again is acknowledged again`, async () => {
    const from = first.heard.length
    first.say(event(1))
    await first.ack(1, from)
  })
  const { window } = first.welcome
  await step(`${name}: as many messages as the window holds are acknowledged`, async () => {
    for (let seq = 2; seq <= window + 1; seq++) first.say(event(seq))
    await first.ack(window + 1)
  })
  await step(`${name}: fields and kinds that are not known do no harm`, async () => {
    first.say(JSON.stringify({ ...event(window + 2), later: [1, 2] }))
    first.say({ t: 'heartbeat' })
    await first.ack(window + 2)
  })
  const second = await step(
    `${name}: after a new connection the welcome says what is stored`,
    async () => {
      const device = await begin()
      const { seq } = device.welcome
      expected(
        seq === window + 2,
        `${window + 2} messages are stored, but the welcome says ${seq}.`,
      )
      return device
    },
  )
  await step(`${name}: the former connection ends with bye, code replaced`, async () => {
    const { code } = await first.until('bye')
    expected(code === 'replaced', `The code was ${code}.`)
    await first.ended
  })
  second?.close()
  await step(`${name}: another boot counts from 1`, async () => {
    const next = newBoot()
    const device = await begin(next)
    expected(device.welcome.seq === 0, `The welcome says seq ${device.welcome.seq}.`)
    device.say(event(1, next))
    await device.ack(1)
    device.close()
  })
  await step(
    `${name}: what is no message ends the connection with bye, code protocol`,
    async () => {
      const device = await begin()
      device.say('{"t":"event"}')
      const { code } = await device.until('bye')
      expected(code === 'protocol', `The code was ${code}.`)
      await device.ended
    },
  )
  for (const device of opened) device.close()
}

/** A connection, its messages, and its end. */
function openDevice(address: string, secret: string, isMqtt: boolean) {
  const { items: heard, add, end, until } = inbox<ToDevice | { t: 'open' }>()
  const link = (isMqtt ? mqttLink : webSocketLink)({
    address,
    secret,
    onOpen: () => add({ t: 'open' }),
    onText(text) {
      const message = readToDevice(text)
      if (message) add(message)
    },
  })
  const ended = link.ended.then((found) => {
    end(`the connection ended${found.reason === '' ? '' : ` (${found.reason})`}`)
    return found
  })
  const isKind =
    <Kind extends (ToDevice | { t: 'open' })['t']>(kind: Kind) =>
    (each: ToDevice | { t: 'open' }): each is Extract<ToDevice | { t: 'open' }, { t: Kind }> =>
      each.t === kind
  const opened = until(isKind('open'), 'An open connection')
  // If nobody awaits it, its failure is reported by the end.
  opened.catch(() => {})
  return {
    heard,
    opened,
    ended,
    close: link.close,
    say: (message: FromDevice | string) =>
      link.send(typeof message === 'string' ? message : writeMessage(message)),
    until: <Kind extends ToDevice['t']>(kind: Kind): Promise<Of<Kind>> => until(isKind(kind), kind),
    ack: (seq: number, from = 0) =>
      until((each): each is Of<'ack'> => each.t === 'ack' && each.seq >= seq, `ack of seq ${seq}`, {
        from,
      }),
  }
}

async function statusOfClaim(url: string, body: object): Promise<number> {
  const response = await fetch(new URL('/api/maple/device/claim', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
    redirect: 'error',
  })
  await response.text()
  return response.status
}

/** The status returned instead of a WebSocket; 101 if there is one. */
function statusOfUpgrade(
  address: string,
  secret: string,
  headers: Record<string, string>,
): Promise<number> {
  const url = new URL(deviceSocketPath, address)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${secret}`, ...headers },
    handshakeTimeout: 10_000,
  })
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.once('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0)
      response.destroy()
    })
  })
}
