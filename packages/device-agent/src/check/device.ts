import { secretPattern } from '@grove/device-protocol/limits'
import type { FromDevice, StoredMessage } from '@grove/device-protocol/message'
import {
  openDeviceServer,
  type Asked,
  type Connection,
  type Knock,
  type Said,
} from './device-server.ts'
import type { ServerKeys } from './server-keys.ts'
import { expected, type StepRunner } from './steps.ts'

interface Options {
  port: number
  host: string
  /** Seconds that a step waits for the device. */
  patience: number
  /** Also accepts MQTT at this port. */
  mqttPort?: number | undefined
  /** Its ports accept only TLS. */
  tls?: ServerKeys | undefined
  onListen?: (port: number, code: string, mqttPort?: number) => void
}

const code = 'CHEC-KCHE-CK00'
const isClaim = (asked: Asked): asked is Extract<Asked, { kind: 'claim' }> => asked.kind === 'claim'
const isKnock = (asked: Asked): asked is Knock => asked.kind === 'connect'
const isHello = (said: Said): said is Extract<FromDevice, { t: 'hello' }> => said.t === 'hello'
const isNumbered = (said: Said): said is StoredMessage => 'seq' in said
type Result = Extract<StoredMessage, { t: 'result' }>
const isResult = (said: Said): said is Result => said.t === 'result'

/** Acknowledges incoming messages until it is stopped. */
function keepAcking(connection: Connection, boot: string): () => void {
  const timer = setInterval(() => {
    const seq = connection.heard.findLast(isNumbered)?.seq
    if (seq !== undefined) connection.say({ t: 'ack', boot, seq })
  }, 50)
  return () => clearInterval(timer)
}

/** Messages in flight while a step counts. */
const smallWindow = 4

/** A busy platform sets a retry delay where the protocol allows it. */
const busyWords: Record<Knock['way'], string> = {
  WebSocket: 'Refused with 503 and Retry-After: 2, it waits for two seconds or more',
  'MQTT 5': 'Refused with CONNACK 137 and retryIn 2000, it waits for two seconds or more',
  'MQTT 3.1.1': 'Refused with CONNACK 3, it tries again',
}

const wrongWords: Record<Knock['way'], string> = {
  WebSocket: 'Refused with 401, it does not try again',
  'MQTT 5': 'Refused with CONNACK 134, it does not try again',
  'MQTT 3.1.1': 'Refused with CONNACK 4, it does not try again',
}

/** Acts as the platform for one device, and reports step by step whether it follows the protocol. */
export async function checkDevice(
  { port, host, patience, mqttPort, tls, onListen }: Options,
  { step, note }: StepRunner,
): Promise<void> {
  const server = await openDeviceServer(port, host, { mqttPort, tls })
  const ms = patience * 1000
  const s = tls ? 's' : ''
  note(
    `Start your device with the platform http${s}://${host}:${server.port} and the code ${code},`,
  )
  if (server.mqttPort !== undefined)
    note(`by MQTT at mqtt${s}://${host}:${server.mqttPort} if it speaks that,`)
  const own = tls ? 'a secret or a certificate' : 'a secret'
  note(`or with ${own} of its own, in which case the steps of the claim are left out.`)
  note('Let it send something every second. Each step waits for it.')
  onListen?.(server.port, code, server.mqttPort)
  let seen = 0
  const next = async <Found extends Asked>(
    fits: (asked: Asked) => asked is Found,
    what: string,
  ) => {
    const found = await server.asked.until(fits, what, { ms, from: seen })
    seen = server.asked.items.indexOf(found) + 1
    return found
  }
  const isAny = (asked: Asked): asked is Asked => isClaim(asked) || isKnock(asked)
  try {
    let secret: string | undefined
    const first = await step('The device claims a secret, or connects', () =>
      next(isAny, 'A request'),
    )
    if (!first) return
    let knock: Knock | undefined = first.kind === 'connect' ? first : undefined
    if (first.kind === 'claim') {
      secret = await step('It makes its own secret of 32 random bytes', async () => {
        const body = JSON.parse(first.body) as Record<string, unknown>
        expected(
          body['code'] === code,
          `The code is ${String(body['code'])}, and should be ${code}.`,
        )
        expected(typeof body['id'] === 'string', 'The claim has no id.')
        const given = body['secret']
        expected(
          typeof given === 'string' && secretPattern.test(given),
          'The secret should be 43 characters of base64url.',
        )
        return given
      })
      await step('It asks again with the same secret when no answer came', async () => {
        first.cut()
        const again = await next(isClaim, 'The second claim')
        expected(again.body === first.body, 'The second claim differs from the first.')
        again.answer(200, { id: (JSON.parse(again.body) as { id: string }).id, state: 'accepted' })
      })
    }
    knock ??= await step('It connects', () =>
      next(
        isKnock,
        server.mqttPort === undefined ? 'A WebSocket' : 'A WebSocket, or CONNECT of MQTT',
      ),
    )
    if (!knock) {
      for (const words of server.faults) note(words)
      return
    }
    const asked = knock
    const { way } = asked
    const isWebSocket = way === 'WebSocket'
    note(`It speaks ${way}.`)
    const shown = asked.hasCertificate && !asked.secret ? 'a certificate' : 'its secret'
    await step(isWebSocket ? `It shows ${shown}, and no Origin` : `It shows ${shown}`, async () => {
      expected(
        asked.secret !== undefined || asked.hasCertificate,
        isWebSocket
          ? 'Authorization should be "Bearer" and the secret.'
          : 'The password of CONNECT should be the secret: 43 characters of base64url.',
      )
      expected(
        secret === undefined || asked.secret === undefined || asked.secret === secret,
        'It is another secret than it claimed.',
      )
      expected(!asked.hasOrigin, 'Origin is for pages of browsers.')
    })
    await step(busyWords[way], async () => {
      const at = performance.now()
      asked.refuse('busy', 2)
      knock = await next(isKnock, 'The next attempt')
      const waited = knock.at - at
      // Timer clocks differ by some milliseconds.
      expected(
        way === 'MQTT 3.1.1' || waited >= 1950,
        `It came back after ${Math.round(waited)} ms.`,
      )
    })
    await checkConnections(knock, () => next(isKnock, 'A new connection'), ms, { step, note })
    if (!isWebSocket)
      await step('It uses MQTT as the gateway takes it', async () => {
        expected(server.faults.size === 0, [...server.faults].join(' '))
      })
  } finally {
    server.close()
  }
}

async function checkConnections(
  first: Knock,
  reconnect: () => Promise<Knock>,
  ms: number,
  { step }: Pick<StepRunner, 'step' | 'note'>,
): Promise<void> {
  const welcome = (connection: Connection, seq: number, heartbeat = 30) =>
    connection.say({
      t: 'welcome',
      device: 'check',
      seq,
      heartbeat,
      window: smallWindow,
      held: false,
    })
  const numbers = ({ heard }: Connection) => heard.filter(isNumbered).map(({ seq }) => seq)
  /** Waits for this many numbered messages. */
  const several = (connection: Connection, count: number) =>
    connection.until(
      (said): said is StoredMessage => isNumbered(said) && numbers(connection).length >= count,
      `Message number ${count}`,
      { ms },
    )

  let connection = await first.accept()
  const hello = await step('It says hello first', async () => {
    const found = await connection.until(isHello, 'hello', { ms })
    expected(connection.heard[0]?.t === 'hello', `It said ${connection.heard[0]?.t} before.`)
    return found
  })
  if (!hello) return
  await step('Its messages count from 1 without gaps, in the boot of its hello', async () => {
    welcome(connection, 0)
    await several(connection, 3)
    const said = connection.heard.filter(isNumbered)
    for (const [index, { seq, boot }] of said.entries()) {
      expected(seq === index + 1, `Message ${index + 1} has seq ${seq}.`)
      expected(boot === hello.boot, `Message ${index + 1} is of the boot ${boot}.`)
    }
  })
  await step(`It sends at most ${smallWindow} messages that wait for their ack`, async () => {
    await several(connection, smallWindow)
    // It has a second more than the next attempt needs.
    await new Promise((resolve) => setTimeout(resolve, 2500))
    const sent = numbers(connection).length
    expected(sent <= smallWindow, `It sent ${sent} messages without an ack.`)
  })
  await step('It continues after an ack, and ignores kinds that it does not know', async () => {
    connection.say({ t: 'later', more: { of: 'it' } })
    connection.say({ t: 'ack', boot: hello.boot, seq: 2 })
    await several(connection, smallWindow + 2)
    const sent = numbers(connection)
    expected(sent.includes(smallWindow + 2), `It sent ${sent.join(', ')}.`)
  })
  await step('After a lost connection it sends again what is not stored, in order', async () => {
    connection.cut()
    connection = await (await reconnect()).accept()
    const again = await connection.until(isHello, 'hello', { ms })
    expected(again.boot === hello.boot, 'It began another boot without a restart.')
    welcome(connection, 3, 1)
    await several(connection, 3)
    const sent = numbers(connection)
    expected(sent[0] === 4 && sent[1] === 5, `3 was stored, and it sent ${sent.join(', ')}.`)
  })
  // MQTT pings replace heartbeats.
  if (first.way === 'WebSocket')
    await step('It sends a heartbeat as often as the welcome asks for', async () => {
      await connection.until((said) => said.t === 'heartbeat', 'A heartbeat', { ms: 5000 })
    })
  await step('It answers for an element that it does not offer', async () => {
    const exchange = { t: 'exchange', id: 1, session: 'check', isFirst: true, data: '80CA9F7F00' }
    connection.say({ ...exchange, cplc: '0'.repeat(84) })
    const failed = await connection.until(
      (said): said is Extract<FromDevice, { t: 'failed' }> => said.t === 'failed',
      'failed with code absent',
    )
    expected(failed.id === 1 && failed.code === 'absent', `It answered ${JSON.stringify(failed)}.`)
  })
  await step('It answers a command, and the same again when it comes again', async () => {
    const command = { t: 'command', id: 'check-1', name: 'ping', d: null }
    const stop = keepAcking(connection, hello.boot)
    try {
      const results = () => connection.heard.filter(isResult)
      connection.say(command)
      await connection.until(isResult, 'result of the command', { ms })
      connection.say(command)
      await connection.until(
        (said): said is Result => isResult(said) && results().length > 1,
        'result of the command that came again',
        { ms },
      )
      const [one, two] = results()
      expected(one?.id === 'check-1', `The result is of ${one?.id}.`)
      const told = ({ ok, d, error }: Partial<Result> = {}) => JSON.stringify({ ok, d, error })
      expected(told(one) === told(two), `The results differ: ${told(one)}, ${told(two)}.`)
    } finally {
      stop()
    }
  })
  await step('It answers a desired state with its version', async () => {
    const stop = keepAcking(connection, hello.boot)
    try {
      connection.say({ t: 'desired', version: 7, d: { check: true } })
      await connection.until(
        (said): said is Extract<StoredMessage, { t: 'reported' }> =>
          said.t === 'reported' && said.version === 7,
        'reported with version 7',
        { ms },
      )
    } finally {
      stop()
    }
  })
  await step('After bye with retryIn 3000 it waits for three seconds or more', async () => {
    const at = performance.now()
    connection.say({ t: 'bye', code: 'unavailable', retryIn: 3000 })
    const next = await reconnect()
    const waited = next.at - at
    expected(waited >= 2950, `It came back after ${Math.round(waited)} ms.`)
    connection = await next.accept()
    await connection.until(isHello, 'hello', { ms })
  })
  await step('All that it said were messages of the protocol', async () => {
    const wrong = connection.heard.find((said) => said.t === 'wrong')
    expected(wrong === undefined, `It said ${JSON.stringify(wrong)}.`)
  })
  await step(wrongWords[first.way], async () => {
    connection.cut()
    const next = await reconnect()
    next.refuse('wrong')
    const came = await Promise.race([
      reconnect().then(
        () => true,
        () => false,
      ),
      new Promise<false>((resolve) => setTimeout(resolve, Math.min(ms, 10_000), false)),
    ])
    expected(!came, 'It tried again.')
  })
}
