import { fileURLToPath } from 'node:url'
import { toHex } from '../bytes.ts'
import type { NewCard } from '../card/card-state.ts'
import { softwareCard, type SoftwareCard } from '../card/software-card.ts'
import { answerToReset, connectToVpcd } from '../card/vpcd.ts'
import {
  isPrivate,
  mayBePrivate,
  runPrivately,
  runProgram,
  startPrivateReader,
  vpcdPort,
} from './private-reader.ts'
import { missingPackages, missingPythonPackages, python } from './programs.ts'
import { secondClient } from './second-client.ts'

/**
 * Tests a card with independent programs in a network namespace and reports the results. Resolves to
 * the exit code: 0 if everything passes, 2 if the machine cannot run it.
 */
export async function checkWithPcsc(card: NewCard): Promise<number> {
  const reason = whyNot()
  if (reason !== undefined) {
    console.error(reason)
    return 2
  }
  if (!isPrivate()) {
    const file = fileURLToPath(new URL('../card/main.ts', import.meta.url))
    return (await runPrivately(file, process.argv.slice(2))).code
  }
  const reader = await startPrivateReader()
  try {
    const findings = await inspect(softwareCard(card))
    for (const { isRight, text } of findings) console.log(`${isRight ? 'ok  ' : 'FAIL'}  ${text}`)
    return findings.every(({ isRight }) => isRight) ? 0 : 1
  } finally {
    await reader.stop()
  }
}

/** Why this machine cannot run the check, and what to do. */
export function whyNot(): string | undefined {
  if (process.platform !== 'linux') return 'The check needs Linux: it runs in a network namespace.'
  const missing = missingPackages()
  if (missing.length > 0)
    return `Not installed: ${missing.join(', ')}. On Debian: apt-get install ${missing.join(' ')}`
  return mayBePrivate()
    ? undefined
    : 'This machine allows no network namespaces (unshare): run it as root, or outside a container.'
}

interface Finding {
  isRight: boolean
  text: string
}

const repeats = 50

/**
 * Inserts the card into the reader and runs pcsc_scan, opensc-tool and the second client against it.
 */
async function inspect(card: SoftwareCard): Promise<Finding[]> {
  const words: string[] = []
  let slowest = 0
  const watched: SoftwareCard = {
    ...card,
    async transmit(command) {
      const started = performance.now()
      const reply = await card.transmit(command)
      slowest = Math.max(slowest, performance.now() - started)
      words.push(toHex(reply.slice(-2)))
      return reply
    },
  }
  const { socket, closed } = connectToVpcd(watched, { host: '127.0.0.1', port: vpcdPort })
  try {
    return [
      await answerIsListed(),
      ...(await cplcIsRead(card.snapshot().cplc)),
      await logicalChannelOpens(card.snapshot().issuerAid),
      await probesAreAnswered(words),
      await timing(() => slowest),
      await secondClientAgrees(card),
    ]
  } finally {
    socket.destroy()
    await closed
  }
}

async function answerIsListed(): Promise<Finding> {
  const wanted = toHex(answerToReset)
  // The reader polls for a card every 0.4 s; the first listing may be too early.
  const { output } = await runProgram('pcsc_scan', ['-n', '-t', '3'])
  const found = /ATR: ((?:[0-9A-F]{2} ?)+)/u.exec(output)?.[1]?.replaceAll(' ', '') ?? ''
  return {
    isRight: found === wanted,
    text: `pcsc_scan lists the ATR ${wanted}${found === wanted ? '' : `, but found ${found || 'no card'}`}`,
  }
}

const cplcCommand = '80CA9F7F00'

/** The bytes that opensc-tool prints after "Received", without its text column. */
const receivedBy = (output: string): string =>
  output
    .split('\n')
    .map((line) => /^((?:[0-9A-F]{2} ){1,16})/u.exec(line)?.[1] ?? '')
    .join('')
    .replaceAll(' ', '')

async function cplcIsRead(cplc: string): Promise<Finding[]> {
  const { output } = await runProgram('opensc-tool', ['-c', 'default', '-s', cplcCommand])
  const isRight = receivedBy(output) === `9F7F2A${cplc}`
  return [
    {
      isRight,
      text: `opensc-tool reads the CPLC ${cplc}${isRight ? '' : `, but found: ${output}`}`,
    },
  ]
}

const hexLength = (hex: string) => (hex.length / 2).toString(16).padStart(2, '0').toUpperCase()

/** Opens a logical channel, reads the AID selected there, and closes it. */
async function logicalChannelOpens(issuerAid: string): Promise<Finding> {
  const sent = ['0070000001', '01A4040000', '00708001', '01A4040000']
  const { output } = await runProgram('opensc-tool', [
    '-c',
    'default',
    ...sent.flatMap((command) => ['-s', command]),
  ])
  const words = [...output.matchAll(/SW1=0x([0-9A-F]{2}), SW2=0x([0-9A-F]{2})/giu)].map(
    ([, first = '', second = '']) => `${first}${second}`.toUpperCase(),
  )
  const isRight =
    words.join(' ') === '9000 9000 9000 6881' &&
    receivedBy(output).includes(`84${hexLength(issuerAid)}${issuerAid}`)
  return {
    isRight,
    text: `opensc-tool opens logical channel 1, selects ${issuerAid} on it and closes it${isRight ? '' : `, but found: ${output}`}`,
  }
}

async function probesAreAnswered(words: string[]): Promise<Finding> {
  const before = words.length
  const { code, output } = await runProgram('opensc-tool', ['-n'])
  const answers = words.slice(before)
  const isRight = answers.length > 0 && !/transmit failed|I\/O error/iu.test(output)
  const refused = answers.filter((word) => word.startsWith('6')).length
  return {
    isRight,
    text: `opensc-tool looks for known cards: ${answers.length} probes answered, ${refused} of them refused (it says "${output.trim().split('\n').at(-1)}", ${code})`,
  }
}

/** Many commands in one run, minus the program's start-up time. */
async function timing(slowest: () => number): Promise<Finding> {
  const many = Array.from({ length: repeats }, () => ['-s', cplcCommand]).flat()
  const one = await runProgram('opensc-tool', ['-c', 'default', '-s', cplcCommand])
  const all = await runProgram('opensc-tool', ['-c', 'default', ...many])
  const each = (all.milliseconds - one.milliseconds) / (repeats - 1)
  return {
    isRight: all.code === 0,
    text: `${repeats} commands take ${each.toFixed(1)} ms each through pcscd; the card's slowest reply so far took ${slowest().toFixed(1)} ms`,
  }
}

async function secondClientAgrees(card: SoftwareCard): Promise<Finding> {
  const missing = missingPythonPackages()
  if (missing.length > 0)
    return {
      isRight: true,
      text: `not tried: a second implementation of secure channels (install ${missing.join(' ')})`,
    }
  const { protocol, implementation, lifeCycle } = card.snapshot()
  if (lifeCycle === 0x7f)
    return { isRight: true, text: 'not tried: secure channels, because the card is locked' }
  const { code, output } = await runProgram(python, secondClient(card.snapshot(), { isPcsc: true }))
  const last = output.trim().split('\n').at(-1) ?? ''
  return {
    isRight: code === 0,
    text: `a client in Python opens ${protocol} (option ${implementation.toString(16).padStart(2, '0')}) at every level and manages the card: ${code === 0 ? last : output}`,
  }
}
