import { parseArgs } from 'node:util'
import { fail, readFileOf, readOptions } from '../command-line.ts'
import { isMqttAddress } from '../mqtt-link.ts'
import { checkDevice } from './device.ts'
import { checkEndpoint } from './endpoint.ts'
import { stepRunner } from './steps.ts'

const usage = `grove-device check URL CODE [--mqtt URL]
grove-device check --listen PORT [--listen-mqtt PORT] [--host NAME] [--cert FILE --key FILE]

Checks one side of the device protocol, step by step. With an address it is a device, and checks the
platform there with a claim code whose devices are accepted. With --listen it is the platform, and
checks the device that you connect to it: its claim, its connection, what it sends again, how it
waits.

  --mqtt URL         also by MQTT, at mqtt://host:port or mqtts://host:port
  --listen PORT      checks a device; 0 chooses a port
  --listen-mqtt PORT also one that speaks MQTT, at this port
  --cert FILE        its ports speak TLS with this certificate; a device may show one of its own there
  --key FILE         the key of that certificate
  --host NAME        where it listens; 127.0.0.1 unless you say otherwise
  --patience SECONDS how long a step waits for the device; 120 unless you say otherwise
  --help             this text`

const options = {
  mqtt: { type: 'string' },
  listen: { type: 'string' },
  'listen-mqtt': { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  cert: { type: 'string' },
  key: { type: 'string' },
  patience: { type: 'string', default: '120' },
  help: { type: 'boolean', default: false },
} as const

function portOf(text: string, option: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) fail(`${option} is a port.`)
  return port
}

/** Returns the exit code. */
export async function check(args: string[]): Promise<number> {
  let places: string[] = []
  const {
    mqtt,
    listen,
    'listen-mqtt': listenMqtt,
    host,
    patience,
    ...files
  } = readOptions(() => {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    places = positionals
    return values
  }, usage)
  const runner = stepRunner((line) => console.log(line))
  if (listen !== undefined) {
    const port = portOf(listen, '--listen')
    const mqttPort = listenMqtt === undefined ? undefined : portOf(listenMqtt, '--listen-mqtt')
    const seconds = Number(patience)
    if (!(seconds > 0 && seconds <= 3600)) fail('--patience is a number of seconds.')
    const [cert, key] = [readFileOf(files.cert), readFileOf(files.key)]
    if (!cert !== !key) fail('--cert and --key go together.')
    const tls = cert && key && { cert, key }
    await checkDevice({ port, mqttPort, tls, host, patience: seconds }, runner)
    return runner.end()
  }
  if (files.cert !== undefined || files.key !== undefined) fail('--cert goes with --listen.')
  const [url = '', code = ''] = places
  if (!URL.canParse(url) || code === '') fail(usage)
  if (mqtt !== undefined && !isMqttAddress(mqtt)) fail('--mqtt is mqtt://host:port.')
  await checkEndpoint({ url, code, mqtt }, runner)
  return runner.end()
}
