#!/usr/bin/env node
import { hostname } from 'node:os'
import { parseArgs } from 'node:util'
import { openPcsc } from '@grove/secure-element/pcsc/open-pcsc'
import { PcscError, type Pcsc } from '@grove/secure-element/pcsc/pcsc'
import { offerReader, ReaderRefused } from './bridge.ts'
import { claimKey, createCode, PairingError } from './pairing.ts'
import { forgetKey, keepKey, keptKey } from './reader-file.ts'

const usage = `grove-reader --platform URL [options]

Offers a PC/SC reader of this machine to Grove, so that sessions of your working stage reach the card
in it. Only while this program runs, and only elements of that stage. Grove's guide "Offer a PC/SC reader"
says more, at /docs/readers.

  --platform URL     Grove, such as https://grove.example.com
  --code CODE        a pairing code that the page Readers shows
  --stage ID         your working stage, with an API key of it in GROVE_KEY, in place of a code
  --name TEXT        what the page Readers calls it; the name of this machine unless you say otherwise
  --reader NAME      the PC/SC reader, by the beginning of its name, where there are several
  --state FILE       keeps the reader's key, so that it need not be paired again
  --list             lists the readers of this machine, and ends
  --help             this text`

const options = {
  platform: { type: 'string' },
  code: { type: 'string' },
  stage: { type: 'string' },
  name: { type: 'string', default: hostname() },
  reader: { type: 'string' },
  state: { type: 'string' },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const fail = (message: string, code = 1): never => {
  console.error(message)
  process.exit(code)
}

const read = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
}

async function openOrFail(): Promise<Pcsc> {
  try {
    return await openPcsc()
  } catch (error) {
    if (!(error instanceof PcscError)) throw error
    return fail(error.message)
  }
}

const { platform, code, stage, name, reader, state, list, help } = read()
if (help) {
  console.log(usage)
  process.exit(0)
}
if (list) {
  const pcsc = await openOrFail()
  const found = await pcsc.readers()
  for (const each of found)
    console.log(
      `${each.name}: ${each.atr ? `card ${Buffer.from(each.atr).toString('hex').toUpperCase()}` : 'no card'}`,
    )
  if (found.length === 0) console.log('There is no PC/SC reader.')
  pcsc.close()
  process.exit(0)
}
if (platform === undefined || !URL.canParse(platform))
  fail(`--platform is the address of Grove.\n\n${usage}`)
const address = new URL(platform ?? '')
const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname)
if (address.protocol !== 'https:' && !(address.protocol === 'http:' && isLocal))
  fail('--platform must begin with https://, since commands for the card travel on it.')

const pcsc = await openOrFail()

/**
 * The reader's key from a file, from a pairing code, or through an API key that may create a code.
 */
async function keyOf(): Promise<string> {
  const kept =
    state === undefined || code !== undefined ? undefined : keptKey(state, address.origin)
  if (kept !== undefined) return kept
  const apiKey = process.env['GROVE_KEY']
  if (code === undefined && apiKey === undefined)
    fail('Say who you are: --code from the page Readers, or an API key in GROVE_KEY with --stage.')
  const pairing = code ?? (await createCode(address.origin, { apiKey: apiKey ?? '', stage, name }))
  const key = await claimKey(address.origin, pairing)
  if (state !== undefined) keepKey(state, { platform: address.origin, key })
  return key
}

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
try {
  const key = await keyOf()
  await offerReader({
    platform: address.origin,
    key,
    reader,
    pcsc,
    say: (line) => console.log(line),
    signal: ending.signal,
    isForGood: state === undefined,
  })
} catch (error) {
  if (error instanceof ReaderRefused && state !== undefined) forgetKey(state)
  if (error instanceof ReaderRefused || error instanceof PairingError) fail(error.message)
  throw error
} finally {
  pcsc.close()
}
