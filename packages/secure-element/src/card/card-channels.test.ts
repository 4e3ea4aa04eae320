import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { getData } from '../host/commands.ts'
import { installForInstall, installParameters } from '../host/install.ts'
import { loadPackage, run } from '../host/run.ts'
import { staticKeys } from '../secure-channel/key-source.ts'
import { openSecureChannel } from '../secure-channel/open-channel.ts'
import { implementations, levelsOf } from '../secure-channel/security-level.ts'
import {
  domainAid,
  instance,
  newDomain,
  open,
  packageOf,
  standardKey,
} from '../testing/opened-card.ts'
import { referenceHost } from '../testing/reference-host.ts'
import { softwareCard } from './software-card.ts'

const issuerAid = 'A000000151000000'
const issuerEntry = 'E31D4F08A0000001510000009F700101C5039CDE00CC08A000000151000000'

const cases = (['SCP02', 'SCP03'] as const).flatMap((protocol) =>
  implementations[protocol].flatMap((option) =>
    levelsOf(protocol, option).flatMap((level) =>
      (protocol === 'SCP03' ? [16, 24, 32] : [16]).map((length) => ({
        name: `${protocol} option ${toHex(Uint8Array.of(option))}, level ${toHex(Uint8Array.of(level))}, keys of ${length} bytes`,
        protocol,
        option,
        level,
        length,
      })),
    ),
  ),
)

test.each(cases)(
  'a second implementation of the host works with the card: $name',
  async ({ protocol, option, level, length }) => {
    const key = (first: number) =>
      toHex(Uint8Array.from({ length }, (_, index) => (first + index * 7) & 0xff))
    const [enc, mac] = [key(0x10), key(0x90)]
    const version = protocol === 'SCP03' ? 0x30 : 0x20
    const card = softwareCard({
      seed: 'second host',
      protocol,
      implementation: option,
      keys: { version, enc, mac, dek: key(0x50) },
    })
    // A second channel proves that both sides count alike.
    for (const _ of [1, 2]) {
      const send = await referenceHost(card, {
        protocol: protocol === 'SCP03' ? 3 : 2,
        option,
        level,
        enc: enc.toLowerCase(),
        mac: mac.toLowerCase(),
        aid: issuerAid,
      })
      expect((await send('84f28002', '4f00')).toUpperCase()).toBe(`${issuerEntry}9000`)
      // Without data, an error, and a command after both.
      expect(await send('84ca0067', '')).toMatch(/^67.*9000$/)
      expect(await send('84ca00fe', '')).toBe('6a88')
      expect(await send('84e40000', '4f0501020304ff')).toBe('6a88')
      const filled = `42${'7f'.toLowerCase()}${'ab'.repeat(127)}`
      expect(await send('84e29000', filled)).toBe('9000')
      expect(await send('84ca0042', '')).toBe(`${filled}9000`)
    }
  },
)

test('the challenge of a supplementary domain follows from its own name', async () => {
  const card = softwareCard({ seed: 'name' })
  await run((await open(card)).send, newDomain())
  await card.transmit(readHex(`00A4040009${domainAid}`))
  const keys = toHex(standardKey).toLowerCase()
  const host = { protocol: 3, option: 0x70, level: 0x33, enc: keys, mac: keys } as const
  const send = await referenceHost(card, { ...host, aid: domainAid })
  expect(await send('84ca00e0', '')).toBe('e002c0009000')
  await expect(referenceHost(card, { ...host, aid: issuerAid })).rejects.toThrow('Wrong challenge')
})

test.each([
  ['SCP02', 0x01],
  ['SCP02', 0x03],
  ['SCP03', 0x01],
  ['SCP03', 0x33],
] as const)('a long INSTALL goes in pieces: %s at level %i', async (protocol, level) => {
  const card = softwareCard({
    seed: 'pieces',
    protocol,
    implementation: protocol === 'SCP03' ? 0x70 : 0x55,
  })
  const sent: string[] = []
  const channel = await openSecureChannel(
    {
      transmit(bytes) {
        sent.push(toHex(bytes))
        return card.transmit(bytes)
      },
    },
    {
      keys: staticKeys({ enc: standardKey, mac: standardKey, dek: standardKey }),
      level,
      scp02Implementation: 0x55,
    },
  )
  await loadPackage(channel, packageOf)
  const before = sent.length
  const application = new Uint8Array(230).fill(0x5a)
  await run(
    channel.send,
    installForInstall({ ...instance, parameters: installParameters({ application }) }),
  )
  const pieces = sent.slice(before)
  expect(pieces.map((each) => each.slice(0, 8))).toEqual(['84E68C00', '84E60C00'])
  expect(pieces.every((each) => each.length <= 2 * (5 + 255 + 1))).toBe(true)
  // The chain of MACs continues after it.
  expect(await channel.send(getData({ tag: 'E0' }))).toMatchObject({ statusWord: 0x9000 })
  expect(card.snapshot().applications.at(-1)?.parameters).toContain('5A'.repeat(230))
})
