import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import { parseArgs } from 'node:util'
import { maxOffered } from '@grove/device-protocol/limits'
import { openPcsc } from '@grove/secure-element/pcsc/open-pcsc'
import { DeviceRefused, runAgent, sleep } from './agent.ts'
import { fail, readFileOf, readOptions } from './command-line.ts'
import { deviceWork } from './device-work.ts'
import { claim, ClaimError, keepIdentities, newIdentity, readIdentities } from './identity.ts'
import { openJournal } from './journal.ts'
import type { TlsKeys } from './link.ts'
import { isMqttAddress } from './mqtt-link.ts'
import { openOutbox } from './outbox.ts'
import { resultFile } from './result-file.ts'
import { pcscElements } from './pcsc-elements.ts'
import { softwareElements } from './software-elements.ts'
import { installBy, updater } from './update.ts'

const usage = `grove-device --platform URL [options]
grove-device fleet --help
grove-device check --help

Connects this machine to Grove as a device: it reports telemetry, and offers secure elements to
sessions: software ones, or the cards in PC/SC readers.

  --platform URL     Grove, such as https://grove.example.com
  --code CODE        a claim code, for the first start
  --id ID            the id of the device; the name of this machine unless you say otherwise
  --state FILE       keeps the secret of the device; grove-device.json unless you say otherwise. Beside
                     it, FILE.queue keeps what is not stored yet
  --elements N       how many software elements it offers, up to 8; 0 unless you say otherwise
  --pcsc             offers the cards in the PC/SC readers of this machine too, as they come and go
  --reader NAME      with --pcsc, those in this reader alone, by the beginning of its name; may be
                     said several times
  --every SECONDS    how often it reports; 30 unless you say otherwise
  --firmware TEXT    the version that it reports
  --firmware-file F  a file with that version, read again before each connection
  --on-update TEXT   a program that installs firmware: the path of the image comes last, and
                     GROVE_VERSION has its version. It may restart this machine
  --mqtt URL         speaks MQTT, to mqtt://host:port or mqtts://host:port, in place of a WebSocket;
                     to a broker in front of the platform mqtts://USER@host:port
  --cert FILE        shows this certificate, whose common name is the id of the device, to the port of
                     TLS of the gateway, in place of a claim code
  --key FILE         the key of that certificate
  --ca FILE          trusts servers of this authority, in place of those that Node trusts
  --help             this text

A secret that a person made is taken from GROVE_DEVICE_SECRET, in place of a claim code.`

const options = {
  platform: { type: 'string' },
  code: { type: 'string' },
  id: { type: 'string' },
  state: { type: 'string', default: 'grove-device.json' },
  elements: { type: 'string', default: '0' },
  pcsc: { type: 'boolean', default: false },
  reader: { type: 'string', multiple: true },
  every: { type: 'string', default: '30' },
  firmware: { type: 'string', default: '0.1.0' },
  'firmware-file': { type: 'string' },
  mqtt: { type: 'string' },
  'on-update': { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  ca: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

const given = readOptions(() => parseArgs({ options }).values, usage)
const { platform, code, state, elements, every, mqtt } = given
const { 'firmware-file': firmwareFile, 'on-update': onUpdate } = given
const firmware = () =>
  firmwareFile === undefined ? given.firmware : readFileSync(firmwareFile, 'utf8').trim()
if (platform === undefined || !URL.canParse(platform))
  fail(`--platform is the address of Grove.\n\n${usage}`)
const count = Number(elements)
if (!Number.isInteger(count) || count < 0 || count > maxOffered)
  fail(`--elements is 0 to ${maxOffered}.`)
if (given.reader && !given.pcsc) fail('--reader goes with --pcsc.')
const seconds = Number(every)
if (!(seconds > 0 && seconds <= 86_400)) fail('--every is a number of seconds.')
if (mqtt !== undefined && !isMqttAddress(mqtt))
  fail('--mqtt is mqtt://host:port or mqtts://host:port.')
const address = platform ?? ''
if ((given.cert === undefined) !== (given.key === undefined)) fail('--cert and --key go together.')
if (given.cert !== undefined && !/^(https|mqtts):/.test(mqtt ?? address))
  fail('A certificate is shown by TLS alone: use https://, or --mqtt mqtts://host:port.')

const keys: TlsKeys = {
  cert: readFileOf(given.cert),
  key: readFileOf(given.key),
  ca: readFileOf(given.ca),
}
const id = given.id ?? (keys.cert ? nameIn(keys.cert) : hostname())

function nameIn(certificate: Buffer): string {
  try {
    const { CN } = new X509Certificate(certificate).toLegacyObject().subject
    return typeof CN === 'string' ? CN : hostname()
  } catch {
    return fail(`${given.cert} is not a certificate in PEM.`)
  }
}

const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort())

const software = softwareElements(id, count)
for (const { cplc } of software.elements) console.log(`Offers the software element ${cplc}.`)
/** Before there is a connection, the first hello contains it. */
let announce = () => {}
const cards = given.pcsc
  ? await pcscElements({
      open: openPcsc,
      names: given.reader ?? [],
      most: maxOffered - count,
      say: (line) => console.log(line),
      onChange: () => announce(),
      signal: ending.signal,
    })
  : undefined
const offered = () => [...software.elements, ...(cards?.elements() ?? [])]

/** The secret of this device, unless it presents a certificate; with a code it is claimed first. */
async function secretOf(): Promise<string | undefined> {
  if (keys.cert) return undefined
  const given = process.env['GROVE_DEVICE_SECRET']?.trim()
  if (given) return given
  const kept = readIdentities(state)
  const identity = kept.find((each) => each.id === id) ?? newIdentity(id)
  if (identity.isClaimed) return identity.secret
  if (code === undefined) return fail(`This device has no secret yet: use --code.\n\n${usage}`)
  const others = kept.filter((each) => each.id !== id)
  keepIdentities(state, [...others, identity])
  while (!ending.signal.aborted) {
    try {
      const claimed = await claim(address, identity, {
        code,
        elements: offered().map(({ cplc }) => cplc),
      })
      console.log(`Claimed as ${id}, which is ${claimed.state}.`)
      console.log(`At a broker its user name is ${claimed.user}.`)
      keepIdentities(state, [...others, { ...identity, isClaimed: true }])
      break
    } catch (error) {
      if (!(error instanceof ClaimError)) throw error
      if (error.retryMs === undefined) return fail(error.message)
      console.error(error.message)
      await sleep(error.retryMs, ending.signal)
    }
  }
  return identity.secret
}

const secret = await secretOf()

/** New firmware is announced in another hello, as after a reboot. */
function updateBy(command: string) {
  const { signal } = ending
  return updater({
    platform: address,
    secret,
    keys,
    folder: `${state}.images`,
    install: installBy(command, signal),
    onInstalled() {
      outbox.add('reported', { firmware: firmware() }, Date.now())
      // After the result, which is queued by then.
      setImmediate(() => agent.reconnect())
    },
    firmware,
    say: (line) => console.log(line),
    signal,
  })
}

const journal = openJournal(
  `${state}.queue`,
  () => agent.flush(),
  ({ message }) => console.error(`Messages wait in memory alone: ${message}`),
)
const outbox = openOutbox(undefined, journal)
outbox.add('reported', { firmware: firmware(), interval: seconds }, Date.now())
function report() {
  const { rss } = process.memoryUsage()
  outbox.add('telemetry', { uptime: Math.round(uptime()), memory: rss }, Date.now())
  agent.flush()
}
let reporting = setInterval(report, seconds * 1000).unref()
const agent = runAgent({
  platform: address,
  mqtt,
  secret,
  keys,
  outbox,
  firmware,
  elements: offered,
  say: (line) => console.log(line),
  signal: ending.signal,
  ...deviceWork({
    outbox,
    memory: resultFile(`${state}.results`),
    flush: () => agent.flush(),
    report,
    setSeconds(next) {
      clearInterval(reporting)
      reporting = setInterval(report, next * 1000).unref()
    },
    commands: {
      ...(count > 0 && software.commands),
      ...(onUpdate !== undefined && { update: updateBy(onUpdate) }),
    },
  }),
})
announce = agent.announce
try {
  await agent.ended
} catch (error) {
  if (!(error instanceof DeviceRefused)) throw error
  fail(error.message)
}
