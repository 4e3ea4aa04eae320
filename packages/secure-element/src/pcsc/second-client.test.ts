import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { cardProfiles } from '../card/card-profile.ts'
import { softwareCard, type SoftwareCard } from '../card/software-card.ts'
import { implementations } from '../secure-channel/security-level.ts'
import { missingPythonPackages, python } from './programs.ts'
import { secondClient } from './second-client.ts'

const missing = missingPythonPackages().filter((name) => name !== 'python3-pyscard')

/** Answers the client's commands, and returns its last line. */
async function drive(card: SoftwareCard): Promise<{ code: number | null; last: string }> {
  const client = spawn(python, secondClient(card.snapshot(), { isPcsc: false }), {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(client, 'close') as Promise<[number | null]>
  let last = ''
  for await (const line of createInterface(client.stdout)) {
    last = line
    if (line.startsWith('> '))
      client.stdin.write(`${toHex(await card.transmit(readHex(line.slice(2))))}\n`)
  }
  const [code] = await closed
  return { code, last }
}

/** It supports SCP03 in S8 mode, and SCP02 with three keys, an encrypted ICV, and no R-MAC. */
const spoken = { SCP02: [0x15, 0x55], SCP03: implementations.SCP03.filter((each) => !(each & 1)) }

const cases = [
  ...spoken.SCP03.map((option) => ['SCP03', option, 16] as const),
  ['SCP03', 0x70, 24] as const,
  ['SCP03', 0x70, 32] as const,
  ...spoken.SCP02.map((option) => ['SCP02', option, 16] as const),
].map(
  ([protocol, option, length]) =>
    [
      `${protocol} with option ${option} and keys of ${length} bytes`,
      protocol,
      option,
      length,
    ] as const,
)

test.skipIf(missing.length > 0).for(cases)(
  'a client of another language manages a card over %s (needs python3-pycryptodome)',
  { timeout: 30_000 },
  async ([, protocol, implementation, length]) => {
    const key = (first: number) => toHex(Uint8Array.from({ length }, (_, index) => first + index))
    const keys = { version: 0x30, enc: key(0x40), mac: key(0x60), dek: key(0x80) }
    const card = softwareCard({ seed: 'second', protocol, implementation, keys })
    expect(await drive(card)).toEqual({
      code: 0,
      last: expect.stringContaining('every reply as expected'),
    })
  },
)

test.skipIf(missing.length > 0)(
  'that client reports a wrong status word (needs python3-pycryptodome)',
  async () => {
    const card = softwareCard({ ...cardProfiles.scp03, seed: 'second' })
    card.break({ wrongStatusWord: { ins: 0xf2, statusWord: 0x6a80 } })
    expect(await drive(card)).toEqual({ code: 1, last: expect.stringContaining('F2 80 02') })
  },
)
