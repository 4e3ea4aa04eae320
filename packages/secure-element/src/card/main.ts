import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkWithPcsc } from '../pcsc/check.ts'
import { cardProfileNames, cardProfiles, isCardProfileName } from './card-profile.ts'
import { openCardFile, CardFileError } from './card-file.ts'
import type { NewCard } from './card-state.ts'
import { softwareCard } from './software-card.ts'
import { connectToVpcd } from './vpcd.ts'

const usage = `npm run card -- [options]

Puts a software card into a PC/SC reader of vsmartcard-vpcd, so that any PC/SC program can use it. A
new card has the keys 404142434445464748494A4B4C4D4E4F, the issuer domain A000000151000000, SCP03 with
option 70 and AES-128. It reconnects when pcscd starts again. docs/software-card.md says more.

  --vpcd HOST:PORT   the reader; 127.0.0.1:35963 unless you say otherwise
  --profile NAME     another card: ${cardProfileNames.join(', ')}
  --scp 02|03        short for --profile scp02 or scp03
  --seed TEXT        two cards with one seed behave alike to the last byte
  --state FILE       keeps the card in a file; an existing file is continued
  --check            tries the card with pcsc_scan and opensc-tool in a network of its own (Linux)
  --help             this text`

const fail = (message: string, withUsage = true): never => {
  console.error(withUsage ? `${message}\n\n${usage}` : message)
  process.exit(1)
}

const options = {
  vpcd: { type: 'string', default: '127.0.0.1:35963' },
  profile: { type: 'string' },
  scp: { type: 'string' },
  seed: { type: 'string' },
  state: { type: 'string' },
  check: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const read = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

const { scp, seed, profile, state: file, vpcd, check, help } = read()
if (help) {
  console.log(usage)
  process.exit(0)
}
if (scp !== undefined && scp !== '02' && scp !== '03') fail('--scp is 02 or 03.')
if (scp !== undefined && profile !== undefined) fail('Use either --scp or --profile.')
const name = profile ?? `scp${scp ?? '03'}`
const chosen: NewCard = isCardProfileName(name)
  ? cardProfiles[name]
  : fail(`There is no profile ${name}. Choose one of: ${cardProfileNames.join(', ')}.`)
const made: NewCard = { ...chosen, ...(seed !== undefined && { seed }) }

if (check) process.exit(await checkWithPcsc(made))

const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(vpcd) ?? []
if (host === '' || Number(port) < 1 || Number(port) > 65_535)
  fail('--vpcd is a host and a port, such as 127.0.0.1:35963.')

const opened = () => {
  if (file === undefined) return { card: softwareCard(made), keep: () => {} }
  try {
    const { card, keep, isContinued } = openCardFile(file, made)
    if (isContinued)
      console.log(`Continues the card in ${file}; --profile, --scp and --seed do not change it.`)
    return { card, keep }
  } catch (error) {
    if (error instanceof CardFileError) return fail(error.message, false)
    throw error
  }
}
const { card, keep } = opened()
keep()

let socket: ReturnType<typeof connectToVpcd>['socket'] | undefined
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isEnding = true
    socket?.destroy()
    // Between two attempts there is no socket to wait for.
    if (socket?.destroyed !== false) process.exit(0)
  })

/** A reader that already has a card accepts the connection and stays silent. */
const silence = 5000
const between = 1000

let hasSaidSo = false
for (;;) {
  let isConnected = false
  const link = connectToVpcd(card, { host, port: Number(port), onExchange: keep })
  socket = link.socket
  socket.once('connect', () => {
    isConnected = true
    hasSaidSo = false
    console.log(`The card is in the reader at ${vpcd}. Press Ctrl-C to take it out.`)
    const timer = setTimeout(
      () =>
        console.log('The reader has not asked for the card: is there another card in it already?'),
      silence,
    )
    socket?.once('data', () => clearTimeout(timer))
    socket?.once('close', () => clearTimeout(timer))
  })
  let reason = 'the connection was closed'
  try {
    await link.closed
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  card.reset()
  if (isEnding) break
  if (isConnected) console.log(`The reader at ${vpcd} is gone (${reason}). Waiting for it.`)
  else if (!hasSaidSo)
    console.log(
      `No reader answers at ${vpcd} (${reason}). Is pcscd running with vsmartcard-vpcd? Waiting for it.`,
    )
  hasSaidSo = true
  await pause(between)
}
