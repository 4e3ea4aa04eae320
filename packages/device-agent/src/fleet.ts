import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { maxOffered } from '@grove/device-protocol/limits'
import { DeviceRefused, runAgent, sleep } from './agent.ts'
import { fail, readOptions } from './command-line.ts'
import { memoryOfProcess } from './command-station.ts'
import { deviceWork } from './device-work.ts'
import { claim, ClaimError, keepIdentities, newIdentity, readIdentities } from './identity.ts'
import { openFirmwareFile } from './firmware-file.ts'
import { isMqttAddress } from './mqtt-link.ts'
import { openOutbox } from './outbox.ts'
import { softwareElements } from './software-elements.ts'
import { updater } from './update.ts'

const usage = `grove-device fleet --platform URL --count N --code CODE [options]

Connects a fleet of devices from one process, each as the agent of one device would.

  --platform URL     Grove; http://127.0.0.1:3000 unless you say otherwise
  --count N          how many devices, up to 20,000; 10 unless you say otherwise
  --code CODE        a claim code with so many uses, for the first start
  --prefix TEXT      the ids begin with it; agent unless you say otherwise
  --state FILE       keeps their secrets; agents.json unless you say otherwise. Beside it, FILE.firmware
                     keeps the firmware that they got
  --every SECONDS    how often each reports; 60 unless you say otherwise
  --elements N       how many software elements each offers, up to 8; 1 unless you say otherwise
  --mqtt URL         they speak MQTT, to mqtt://host:port, in place of WebSockets
  --help             this text`

const options = {
  platform: { type: 'string', default: 'http://127.0.0.1:3000' },
  count: { type: 'string', default: '10' },
  code: { type: 'string' },
  prefix: { type: 'string', default: 'agent' },
  state: { type: 'string', default: 'agents.json' },
  every: { type: 'string', default: '60' },
  elements: { type: 'string', default: '1' },
  mqtt: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const most = 20_000
/** Concurrent claims, and new connections per second. */
const claimsAtOnce = 8
const connectsPerSecond = 400
/** The initial version. */
const firstFirmware = '0.1.0'

const {
  platform,
  count: counted,
  code,
  prefix,
  state,
  every,
  elements,
  mqtt,
} = readOptions(() => parseArgs({ args: process.argv.slice(3), options }).values, usage)
const count = Number(counted)
if (!Number.isInteger(count) || count < 1 || count > most) fail(`--count is 1 to ${most}.`)
const each = Number(elements)
if (!Number.isInteger(each) || each < 0 || each > maxOffered)
  fail(`--elements is 0 to ${maxOffered}.`)
const seconds = Number(every)
if (!(seconds > 0 && seconds <= 86_400)) fail('--every is a number of seconds.')
if (mqtt !== undefined && !isMqttAddress(mqtt)) fail('--mqtt is mqtt://host:port.')
if (!URL.canParse(platform)) fail(`--platform is the address of Grove.\n\n${usage}`)

const ending = new AbortController()
const { signal } = ending
// Each device adds a listener to the signal.
setMaxListeners(0, signal)
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort())

const known = new Map(readIdentities(state).map((identity) => [identity.id, identity]))
const ids = Array.from({ length: count }, (_, n) => `${prefix}-${String(n + 1).padStart(5, '0')}`)
const fleet = ids.map((id) => {
  const identity = known.get(id) ?? newIdentity(id)
  known.set(id, identity)
  return { identity, software: softwareElements(id, each) }
})
const firmwares = openFirmwareFile(`${state}.firmware`)
const keep = () => keepIdentities(state, [...known.values()])

async function claimAll(): Promise<void> {
  const waiting = fleet.filter(({ identity }) => !identity.isClaimed)
  if (waiting.length === 0) return
  const given =
    code ?? fail(`${waiting.length} devices have no secret yet: use --code.\n\n${usage}`)
  // Saved before the platform receives them, so that a stop in between loses none.
  keep()
  const claimOne = async () => {
    for (let next = waiting.pop(); next && !signal.aborted; next = waiting.pop())
      try {
        const { identity, software } = next
        await claim(platform, identity, {
          code: given,
          elements: software.elements.map(({ cplc }) => cplc),
        })
        identity.isClaimed = true
      } catch (error) {
        if (!(error instanceof ClaimError) || error.retryMs === undefined) throw error
        waiting.push(next)
        await sleep(error.retryMs, signal)
      }
  }
  try {
    await Promise.all(Array.from({ length: claimsAtOnce }, claimOne))
  } finally {
    keep()
  }
}

/** Devices in each state: `held` is connected too, `waiting` is between attempts. */
const tally = { starting: count, connected: 0, held: 0, waiting: 0 }
let sent = 0

async function runOne(
  index: number,
  { identity: { id, secret }, software }: (typeof fleet)[number],
): Promise<void> {
  await sleep((Math.random() * 1.2 * count * 1000) / connectsPerSecond, signal)
  const outbox = openOutbox(randomBytes(8).toString('hex'))
  let state: keyof typeof tally = 'starting'
  const become = (next: typeof state) => {
    tally[state]--
    tally[next]++
    state = next
  }
  const report = () => {
    outbox.add('telemetry', { temperature: temperature(index) }, Date.now())
    sent++
    agent.flush()
  }
  let reporting = setInterval(report, seconds * 1000).unref()
  const firmware = () => firmwares.of(id) ?? firstFirmware
  const folder = join(`${state}.images`, id)
  const update = updater({
    platform,
    secret,
    folder,
    // There is nothing to install: a simulated device only changes its version.
    install: async (_, version) => firmwares.keep(id, version),
    // After the result, which is queued by then.
    onInstalled: () => setImmediate(() => agent.reconnect()),
    firmware,
    say: () => {},
    signal,
  })
  const agent = runAgent({
    ...deviceWork({
      outbox,
      memory: memoryOfProcess(),
      flush: () => agent.flush(),
      report,
      setSeconds(next) {
        clearInterval(reporting)
        reporting = setInterval(report, next * 1000).unref()
      },
      commands: {
        ...(each > 0 && software.commands),
        async update(d) {
          const result = await update(d)
          await rm(folder, { recursive: true, force: true })
          return result
        },
      },
    }),
    platform,
    mqtt,
    secret,
    outbox,
    elements: () => software.elements,
    firmware,
    signal,
    // Reports lost connections.
    say: (line) => {
      if (!line.startsWith('Connected')) become('waiting')
    },
    onWelcome: ({ held }) => become(held ? 'held' : 'connected'),
  })
  await agent.ended
    .catch((error: unknown) => {
      if (!(error instanceof DeviceRefused)) throw error
      console.error(`${id}: ${error.message}`)
    })
    .finally(() => clearInterval(reporting))
}

/** Of a day with its own warmest hour. */
const temperature = (index: number) =>
  Math.round((18 + 6 * Math.sin(Date.now() / 13_750_987 + index) + Math.random()) * 10) / 10

try {
  await claimAll()
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
const startedAt = performance.now()
const report = setInterval(() => {
  const elapsed = Math.round((performance.now() - startedAt) / 1000)
  console.log(
    `${elapsed} s: ${tally.connected + tally.held} of ${count} connected, ${sent} messages sent` +
      (tally.waiting > 0 ? `, ${tally.waiting} wait to try again` : '') +
      (tally.held > 0 ? `. People have to accept ${tally.held} of them.` : ''),
  )
}, 5000)
await Promise.all(fleet.map((device, index) => runOne(index, device)))
clearInterval(report)
