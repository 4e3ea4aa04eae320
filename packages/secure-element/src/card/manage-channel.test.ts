import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { getStatus, select, deleteObject } from '../host/commands.ts'
import { installForLoad } from '../host/install.ts'
import { load } from '../host/load.ts'
import { logicalChannel } from '../host/logical-channel.ts'
import { exchange } from '../host/transport.ts'
import { staticKeys } from '../secure-channel/key-source.ts'
import { openSecureChannel } from '../secure-channel/open-channel.ts'
import { implementations, levelsOf, type Protocol } from '../secure-channel/security-level.ts'
import {
  appletAid,
  domainAid,
  file,
  installApplet,
  newDomain,
  open,
  packageOf,
  standardKey,
  word,
} from '../testing/opened-card.ts'
import { referenceHost } from '../testing/reference-host.ts'
import { cardProfiles } from './card-profile.ts'
import { PowerCut, softwareCard, type SoftwareCard } from './software-card.ts'

const issuerAid = 'A000000151000000'
const sent = async (card: SoftwareCard, hex: string) => toHex(await card.transmit(readHex(hex)))
const opened = async (card: SoftwareCard) => sent(card, '0070000001')
const selects = (card: SoftwareCard, cla: string, aid: string) =>
  word(card, `${cla}A40400${(aid.length / 2).toString(16).padStart(2, '0')}${aid}00`)
const secureOn = (card: SoftwareCard, number: number) =>
  open(Object.assign({ ...card }, logicalChannel(card, number)))

async function withApplet(seed: string): Promise<SoftwareCard> {
  const card = softwareCard({ seed })
  const channel = await open(card)
  await installApplet(channel)
  await channel.send(newDomain())
  return softwareCard(card.snapshot())
}

test('a card opens three logical channels, and closes them', async () => {
  const card = softwareCard({ seed: 'three' })
  expect(await word(card, '01A4040000')).toBe('6881')
  expect([await opened(card), await opened(card), await opened(card)]).toEqual([
    '019000',
    '029000',
    '039000',
  ])
  expect(await opened(card)).toBe('6A81')
  expect(await word(card, '02A4040000')).toBe('9000')
  expect(await word(card, '00708002')).toBe('9000')
  expect(await word(card, '02A4040000')).toBe('6881')
  expect(await word(card, '00708002')).toBe('6200')
  // The free one, requested on another logical channel.
  expect(await sent(card, '0170000001')).toBe('029000')
  // Its own channel, named only by the class byte.
  expect(await word(card, '03708000')).toBe('9000')
  expect(await word(card, '03708000')).toBe('6881')
  expect(await sent(card, '00700003')).toBe('9000')
  expect(await word(card, '03A4040000')).toBe('9000')
  expect(await word(card, '40A4040000')).toBe('6881')
  card.reset()
  for (const cla of ['01', '02', '03']) expect(await word(card, `${cla}A4040000`)).toBe('6881')
})

test.each([
  ['007000000100', '6700'],
  ['00700000', '6700'],
  ['0070010001', '6A86'],
  ['0070000401', '6A81'],
  ['00708000', '6A86'],
  ['00708004', '6A81'],
  ['0070000101', '6A86'],
])('after one is open, %s is answered %s', async (hex, expected) => {
  const card = softwareCard({ seed: 'wrong' })
  await opened(card)
  expect(await word(card, hex)).toBe(expected)
})

test('each logical channel has selected what it selected', async () => {
  const card = await withApplet('selected')
  expect(await opened(card)).toBe('019000')
  expect(await selects(card, '01', appletAid)).toBe('9000')
  // The stub knows no command, while the domain on the basic channel does.
  expect(await word(card, '81CA9F7F00')).toBe('6D00')
  expect(await word(card, '80CA9F7F00')).toBe('9000')
  // Opened from a logical channel with a domain selected, the new one has it selected too.
  expect(await opened(card)).toBe('029000')
  expect(await selects(card, '02', domainAid)).toBe('9000')
  expect(await sent(card, '0270000001')).toBe('039000')
  const [two, three, basic] = [
    await sent(card, '82CA00E000'),
    await sent(card, '83CA00E000'),
    await sent(card, '80CA00E000'),
  ]
  expect([two === three, two === basic]).toEqual([true, false])
})

test('an applet is selected on one logical channel at a time, and is not deleted there', async () => {
  const card = await withApplet('twice')
  await opened(card)
  await selects(card, '01', appletAid)
  expect(await selects(card, '00', appletAid)).toBe('6985')
  expect(await sent(card, '0170000001')).toBe('6985')
  const channel = await open(card)
  const both = deleteObject({ aid: file.aid, withRelated: true })
  expect(await channel.send(both)).toMatchObject({ statusWord: 0x6985 })
  expect(await word(card, '00708001')).toBe('9000')
  expect(await channel.send(both)).toMatchObject({ statusWord: 0x9000 })
})

test('a secure channel belongs to its logical channel', async () => {
  const card = softwareCard({ seed: 'secure' })
  await opened(card)
  const basic = await open(card, { level: 0x33 })
  const other = await secureOn(card, 1)
  const status = getStatus({ subset: 'issuer' })
  for (const channel of [basic, other, basic, other])
    expect(await channel.send(status)).toMatchObject({ statusWord: 0x9000 })
  // A command without a MAC ends the secure channel of its own logical channel.
  expect(await word(card, '81F28002024F00')).toBe('6982')
  expect(await basic.send(status)).toMatchObject({ statusWord: 0x9000 })
  expect(await other.send(status)).toMatchObject({ statusWord: 0x6982 })
  // So does SELECT, while MANAGE CHANNEL ends none.
  const third = await secureOn(card, 1)
  expect(await opened(card)).toBe('029000')
  expect(await third.send(status)).toMatchObject({ statusWord: 0x9000 })
  expect(await word(card, '00A4040000')).toBe('9000')
  expect(await third.send(status)).toMatchObject({ statusWord: 0x9000 })
  await expect(basic.send(status)).resolves.toMatchObject({ statusWord: 0x6982 })
})

const cases = (['SCP02', 'SCP03'] as const).flatMap((protocol) =>
  implementations[protocol].map((option): [Protocol, number] => [protocol, option]),
)

test.each(cases)(
  'a MAC covers the class byte without the number: %s option %i',
  async (protocol, option) => {
    const key = toHex(standardKey)
    const version = protocol === 'SCP03' ? 0x30 : 0x20
    const keys = { version, enc: key, mac: key, dek: key }
    const card = softwareCard({ seed: 'mac', protocol, implementation: option, keys })
    await opened(card)
    const seen: string[] = []
    const spy = {
      transmit: (bytes: Uint8Array) => {
        seen.push(toHex(bytes.subarray(0, 2)))
        return card.transmit(bytes)
      },
    }
    const level = levelsOf(protocol, option).at(-1) ?? expect.fail('no level')
    const send = await referenceHost(logicalChannel(spy, 1), {
      protocol: protocol === 'SCP03' ? 3 : 2,
      option,
      level,
      enc: key.toLowerCase(),
      mac: key.toLowerCase(),
      aid: issuerAid,
    })
    expect(await send('84f28002', '4f00')).toMatch(/9000$/)
    expect(seen.every((each) => /^8[15]/.test(each))).toBe(true)
    expect(seen.at(-1)).toBe('85F2')
  },
)

test('one load file is loaded at a time, and closing a logical channel ends the loading', async () => {
  const card = softwareCard({ seed: 'loading' })
  await opened(card)
  const [basic, other] = [await open(card), await secureOn(card, 1)]
  const begin = installForLoad({ loadFileAid: file.aid })
  const [block = expect.fail('no block')] = load({ code: packageOf.code, blockSize: 20 })
  expect(await other.send(begin)).toMatchObject({ statusWord: 0x9000 })
  expect(await other.send(block)).toMatchObject({ statusWord: 0x9000 })
  expect(await basic.send(begin)).toMatchObject({ statusWord: 0x6985 })
  expect(await word(card, '00A4040000')).toBe('9000')
  expect(card.snapshot().loadedBytes).toBeGreaterThan(0)
  expect(await word(card, '00708001')).toBe('9000')
  expect(card.snapshot().loadedBytes).toBe(0)
  expect(await (await open(card)).send(begin)).toMatchObject({ statusWord: 0x9000 })
})

test('the rest of a reply waits on its own logical channel', async () => {
  const card = softwareCard({ ...cardProfiles.scp11, seed: 'rest' })
  await opened(card)
  const certificate = '80CABF2106A6048302130100'
  const onOne = `81${certificate.slice(2)}`
  expect(await word(card, onOne)).toMatch(/^61/)
  expect(await word(card, '00C0000000')).toBe('6D00')
  expect(await word(card, onOne)).toMatch(/^61/)
  expect(await word(card, '01C0000000')).toBe('9000')
  const read = async (number: number) =>
    toHex(
      (
        await exchange(logicalChannel(card, number), {
          cla: 0x80,
          ins: 0xca,
          p1: 0xbf,
          p2: 0x21,
          data: readHex('A60483021301'),
          le: 256,
          isExtended: false,
        })
      ).data,
    )
  expect((await read(1)).length).toBeGreaterThan(512)
  expect(await read(1)).toBe(await read(0))
})

test('power that fails on one logical channel ends all', async () => {
  const card = softwareCard({ seed: 'power' })
  await opened(card)
  card.break({ powerCutBeforeWrite: 1 })
  const keys = staticKeys({ enc: standardKey, mac: standardKey, dek: standardKey })
  await expect(
    openSecureChannel(logicalChannel(card, 1), { keys, level: 0x03 }),
  ).rejects.toMatchObject({ cause: expect.any(PowerCut) })
  expect(await word(card, '01A4040000')).toBe('6881')
  expect((await exchange(card, select())).statusWord).toBe(0x9000)
})
