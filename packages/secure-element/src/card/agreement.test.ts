import { expect, test } from 'vitest'
import type { Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { getData, getStatus } from '../host/commands.ts'
import { exchange } from '../host/transport.ts'
import { publicKeyOf } from '../keys/signature.ts'
import { privateKeyOf } from '../secure-channel/ec-key.ts'
import { openScp11Channel, type OpenScp11Options } from '../secure-channel/open-scp11.ts'
import { encodeTlv } from '../tlv.ts'
import { open, plain } from '../testing/opened-card.ts'
import { cardProfiles } from './card-profile.ts'
import { newCard, type NewCard } from './card-state.ts'
import { freeMemory } from './memory.ts'
import { scp11Example } from './scp11-example.ts'
import { softwareCard } from './software-card.ts'

const pointOf = (scalar: string) => {
  const key = publicKeyOf(privateKeyOf(readHex(scalar)))
  return key.algorithm === 'EC' ? key.point : new Uint8Array()
}
const cardPoint = pointOf(scp11Example.card)
const newScp11Card = (implementation = 0x70) =>
  softwareCard({ ...cardProfiles.scp11, implementation, seed: 'scp11' })

const ofB: OpenScp11Options = { variant: 'b', keyVersion: 1, cardPoint }

/** GET DATA of the certificates of a key. */
const certificatesOf = (reference: string): Command => ({
  ...getData({ tag: 'BF21' }),
  data: encodeTlv([{ tag: 'A6', value: [{ tag: '83', value: readHex(reference) }] }]),
})

test.each([16, 24, 32] as const)(
  'SCP11b opens with session keys of %i bytes',
  async (keyLength) => {
    const card = newScp11Card()
    const channel = await openScp11Channel(card, { ...ofB, keyLength })
    const { data, statusWord } = await channel.send(getData({ tag: 'E0' }))
    expect(statusWord).toBe(0x9000)
    expect(toHex(data)).toContain('C0041301B120')
    expect(toHex((await channel.send(getData({ tag: '66' }))).data)).toMatch(/^66/)
  },
)

test('SCP11b opens with MACs of 16 bytes', async () => {
  const channel = await openScp11Channel(newScp11Card(0x71), { ...ofB, macLength: 16 })
  expect(toHex((await channel.send(getData({ tag: '66' }))).data)).toMatch(/^66/)
})

test('a host that did not prove itself may read, and manages nothing', async () => {
  const channel = await openScp11Channel(newScp11Card(), ofB)
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
  expect((await channel.send(getData({ tag: '66' }))).statusWord).toBe(0x9000)
})

test('each agreement has other keys, and a card with another key is found out', async () => {
  const card = newScp11Card()
  const drawn = card.snapshot().drawn
  for (const _ of [1, 2]) await openScp11Channel(card, ofB)
  expect(card.snapshot().drawn).toBe(drawn + 2)
  card.break({ hasOtherKeys: true })
  await expect(openScp11Channel(card, ofB)).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
})

test('SCP11b opens in a channel of SCP03, which it ends', async () => {
  const card = newScp11Card()
  const before = await open(card, { level: 0x33 })
  await openScp11Channel(card, ofB)
  expect(await before.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
})

test('the certificate of a key comes in pieces, within a channel too, or whole', async () => {
  const card = newScp11Card()
  const value = readHex(scp11Example.cardCertificate)
  const wanted = toHex(encodeTlv([{ tag: 'BF21', value }]))
  const first = await plain(card, certificatesOf('1301'))
  expect(first).toMatchObject({ statusWord: 0x6100 + value.length + 5 - 256 })
  expect(first.data).toHaveLength(256)
  const asked = certificatesOf('1301')
  expect(toHex((await exchange(card, asked)).data)).toBe(wanted)
  const channel = await openScp11Channel(card, ofB)
  expect(toHex((await channel.send(asked)).data)).toBe(wanted)
  const extended = { ...asked, isExtended: true, le: 65_536 }
  expect(toHex((await plain(newScp11Card(), extended)).data)).toBe(wanted)
})

test('GET RESPONSE continues the command before it alone', async () => {
  const card = newScp11Card()
  const getResponse = { ...getData({ tag: '66' }), cla: 0, ins: 0xc0, p1: 0, p2: 0 }
  await plain(card, certificatesOf('1301'))
  await plain(card, getData({ tag: '66' }))
  expect((await plain(card, getResponse)).statusWord).not.toBe(0x9000)
  await plain(card, certificatesOf('1301'))
  card.reset()
  expect((await plain(card, getResponse)).statusWord).not.toBe(0x9000)
})

test.each([
  ['another key', '1302', 0x6a88],
  ['no version', '13', 0x6a88],
])('has no certificate of %s', async (_, reference, statusWord) => {
  expect(await plain(newScp11Card(), certificatesOf(reference))).toMatchObject({ statusWord })
})

const template = 'A60D9002110095013C800188810110'
const key = `5F4941${toHex(pointOf(scp11Example.host))}`
const internalAuthenticate = (hex: string, p1 = 1, p2 = 0x13, ins = 0x88): Command => ({
  cla: 0x80,
  ins,
  p1,
  p2,
  data: hex === '' ? new Uint8Array() : readHex(hex),
  isExtended: false,
})

test.each<[string, Command, number]>([
  ['what fits', internalAuthenticate(template + key), 0x9000],
  ['another version', internalAuthenticate(template + key, 2), 0x6a88],
  ['another id', internalAuthenticate(template + key, 1, 0x14), 0x6a88],
  ['a key that is no private key', internalAuthenticate(template + key, 0x30, 0x01), 0x6a88],
  ['nothing', internalAuthenticate(''), 0x6a80],
  ['eight zeros', internalAuthenticate('00'.repeat(8)), 0x6a80],
  ['no key', internalAuthenticate(template), 0x6a80],
  ['a key alone', internalAuthenticate(key), 0x6a80],
  ['more behind it', internalAuthenticate(`${template}${key}8600`), 0x6a80],
  [
    'another tag within',
    internalAuthenticate(`A6109002110095013C800188810110840100${key}`),
    0x6a80,
  ],
  ['a field that lacks', internalAuthenticate(`A60A9002110095013C800188${key}`), 0x6a80],
  ['another variant', internalAuthenticate(template.replace('1100', '1101') + key), 0x6a80],
  ['another usage', internalAuthenticate(template.replace('3C', '5C') + key), 0x6a80],
  ['another key type', internalAuthenticate(template.replace('800188', '800180') + key), 0x6a80],
  ['another key length', internalAuthenticate(template.replace('810110', '810111') + key), 0x6a80],
  ['a point off the curve', internalAuthenticate(`${template}${key.slice(0, -2)}00`), 0x6a80],
  ['a short point', internalAuthenticate(`${template}5F490204AB`), 0x6a80],
  ['a point at infinity', internalAuthenticate(`${template}5F490100`), 0x6a80],
])('INTERNAL AUTHENTICATE with %s', async (_, command, statusWord) => {
  expect(await plain(newScp11Card(), command)).toMatchObject({ statusWord })
})

test('a card without such a key, one of SCP02, and one whose key is none refuse', async () => {
  const asked = internalAuthenticate(template + key)
  expect(await plain(softwareCard({ seed: 'none' }), asked)).toMatchObject({ statusWord: 0x6a88 })
  const scp02 = softwareCard({ ...cardProfiles.scp11, protocol: 'SCP02', implementation: 0x55 })
  expect(await plain(scp02, asked)).toMatchObject({ statusWord: 0x6d00 })
  const state = newCard(cardProfiles.scp11)
  const [own] = state.keySets[1]?.keys ?? []
  if (!own) throw new Error('The profile has a key of SCP11')
  own.value = '00'.repeat(32)
  expect(await plain(softwareCard(state), asked)).toMatchObject({ statusWord: 0x6a80 })
  own.algorithm = 'AES'
  expect(await plain(softwareCard(state), asked)).toMatchObject({ statusWord: 0x6a88 })
})

test('keys and certificates of SCP11 take memory', () => {
  const free = (card: NewCard) => freeMemory(newCard(card))
  const length = readHex(scp11Example.cardCertificate).length
  expect(free(cardProfiles.scp03) - free(cardProfiles.scp11)).toBe(64 + length)
})

test('a chain of commands is one command', async () => {
  const card = newScp11Card()
  const { data, ...asked } = internalAuthenticate(template + key)
  const first = { ...asked, cla: 0x90, data: data.slice(0, 20) }
  const last = { ...asked, data: data.slice(20) }
  expect(await plain(card, first)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x9000 })
  await plain(card, first)
  await plain(card, getData({ tag: '66' }))
  expect(await plain(card, last)).toMatchObject({ statusWord: 0x6a80 })
  const link = { ...first, data: new Uint8Array(255) }
  for (let count = 0; count < 16; count++)
    expect(await plain(card, link)).toMatchObject({ statusWord: 0x9000 })
  expect(await plain(card, link)).toMatchObject({ statusWord: 0x6700 })
  const whole = internalAuthenticate(template + key)
  expect(await plain(card, whole)).toMatchObject({ statusWord: 0x9000 })
})
