import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { deleteObject, select } from '../host/commands.ts'
import { run, putKeys } from '../host/run.ts'
import type { Protocol } from '../secure-channel/security-level.ts'
import { domainAid, newDomain, open, plain, word } from '../testing/opened-card.ts'
import { softwareCard, type SoftwareCard } from './software-card.ts'

const initialize = (card: SoftwareCard, keyVersion = '00') =>
  word(card, `8050${keyVersion}0008010203040506070800`)
const fail = async (card: SoftwareCard) => {
  expect(await initialize(card)).toBe('9000')
  expect(await word(card, `8482010010${'00'.repeat(16)}`)).toBe('6300')
}

test.each<Protocol>(['SCP02', 'SCP03'])(
  'keys of %s are blocked after ten failures in a row, also after power-on',
  async (protocol) => {
    const card = softwareCard({ seed: 'failures', protocol })
    for (let count = 0; count < 9; count++) await fail(card)
    // A success in between resets the count.
    await open(card)
    for (let count = 0; count < 10; count++) {
      card.reset()
      await fail(card)
    }
    expect(await initialize(card)).toBe('6983')
    await expect(open(card)).rejects.toMatchObject({ statusWord: 0x6983 })
    card.reset()
    expect(await initialize(card)).toBe('6983')
  },
)

test('blocked keys of a domain leave those of the issuer alone', async () => {
  const card = softwareCard({ seed: 'failures', mostFailures: 2 })
  await run((await open(card)).send, newDomain())
  const channel = await open(card, { aid: domainAid })
  const key = { algorithm: 'AES', value: new Uint8Array(16) } as const
  await putKeys(channel, { version: 0x30, keys: [key, key, key] })
  await plain(card, select({ aid: domainAid }))
  await fail(card)
  await fail(card)
  expect(await initialize(card)).toBe('6983')
  const issuer = await open(card, { aid: 'A000000151000000' })
  await run(issuer.send, deleteObject({ aid: domainAid }))
})

test('a right cryptogram with a wrong MAC fails too, and the opening is used up', async () => {
  const sent: string[] = []
  const card = softwareCard({ seed: 'mac' })
  const spoiling = {
    transmit(bytes: Uint8Array) {
      const hex = toHex(bytes)
      sent.push(hex)
      const other = hex.endsWith('00') ? '01' : '00'
      return card.transmit(readHex(hex.startsWith('8482') ? hex.slice(0, -2) + other : hex))
    },
  }
  await expect(open({ ...card, ...spoiling })).rejects.toMatchObject({ statusWord: 0x6982 })
  expect(card.snapshot().keySets[0]?.failures).toBe(1)
  expect(await word(card, sent.at(-1) ?? '')).toBe('6985')
})

test('a key version that the card has not is refused', async () => {
  const card = softwareCard({ seed: 'version' })
  expect(await initialize(card, '7F')).toBe('6A88')
  expect(await initialize(card, '30')).toBe('9000')
})
