import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { run } from '../host/run.ts'
import { implementations, levelsOf } from '../secure-channel/security-level.ts'
import { domainAid, newDomain, open, standardKey } from '../testing/opened-card.ts'
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
