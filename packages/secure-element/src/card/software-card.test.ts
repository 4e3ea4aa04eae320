import { expect, test } from 'vitest'
import type { Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { readCapFile } from '../cap/cap-file.ts'
import {
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  select,
  setCardState,
  setLock,
} from '../host/commands.ts'
import { installForInstall, installForLoad, installParameters } from '../host/install.ts'
import { putKey } from '../host/put-key.ts'
import { loadPackage, putKeys, readRegistry, run } from '../host/run.ts'
import { parseKeyInformation } from '../key-information.ts'
import { staticKeys } from '../secure-channel/key-source.ts'
import { openSecureChannel } from '../secure-channel/open-channel.ts'
import { levelsOf, type Protocol, type SecurityLevel } from '../secure-channel/security-level.ts'
import { encodeTlv } from '../tlv.ts'
import { archive, components } from '../testing/cap-archive.ts'
import {
  appletAid,
  file,
  instance,
  open,
  packageOf,
  plain,
  standardKey,
  word,
} from '../testing/opened-card.ts'
import { softwareCard, PowerCut, type SoftwareCard } from './software-card.ts'

const cases = (['SCP02', 'SCP03'] as const).flatMap((protocol) =>
  levelsOf(protocol, protocol === 'SCP03' ? 0x70 : 0x55).map(
    (level) => [protocol, toHex(Uint8Array.of(level)), level] as const,
  ),
)

test.each<readonly [Protocol, string, SecurityLevel]>(cases)(
  'installs, lists, locks and deletes a package over %s at level %s',
  async (protocol, _, level) => {
    const card = softwareCard({ seed: 'flow', protocol })
    const selected = await plain(card, select())
    expect(toHex(selected.data)).toMatch(/^6F..8408A000000151000000/)
    const channel = await open(card, { level: level })
    await loadPackage(channel, packageOf)
    await run(channel.send, installForInstall(instance))
    expect(await readRegistry(channel.send, 'issuer')).toMatchObject([
      { aid: 'A000000151000000', state: 'opReady' },
    ])
    expect(await readRegistry(channel.send, 'loadFilesAndModules')).toMatchObject([
      { aid: 'A0000001515350', modules: ['A000000151535041'] },
      { aid: file.aid, modules: [appletAid], version: '1.0' },
    ])
    const states = async () =>
      (await readRegistry(channel.send, 'applications')).map(({ aid, state }) => [aid, state])
    expect(await states()).toEqual([[appletAid, 'selectable']])
    await run(channel.send, setLock({ aid: appletAid, isLocked: true }))
    expect(await states()).toEqual([[appletAid, 'locked']])
    await run(channel.send, setLock({ aid: appletAid, isLocked: false }))
    expect(await states()).toEqual([[appletAid, 'selectable']])
    expect(await channel.send(deleteObject({ aid: file.aid }))).toMatchObject({
      statusWord: 0x6985,
    })
    await run(channel.send, deleteObject({ aid: file.aid, withRelated: true }))
    expect(await states()).toEqual([])
    expect(await readRegistry(channel.send, 'loadFiles')).toHaveLength(1)
  },
)

test('a wrong key costs one attempt', async () => {
  const card = softwareCard({ seed: 'wrong key' })
  await expect(open(card, { level: 0x33, value: new Uint8Array(16) })).rejects.toMatchObject({
    code: 'wrongCardCryptogram',
  })
  // The counter rose, and the right keys still open a channel.
  expect(card.snapshot().keySets[0]?.counter).toBe(1)
  expect((await open(card, { level: 0x33 })).state()).toBe('open')
})

test('new keys replace the old ones, and only they open a channel', async () => {
  const card = softwareCard({ seed: 'rotate' })
  const value = readHex('00112233445566778899AABBCCDDEEFF')
  const key = { algorithm: 'AES', value } as const
  const place = { version: 0x31, replaces: 0x30, keys: [key, key, key] }
  await putKeys(await open(card, { level: 0x33 }), place)
  card.reset()
  const { data } = await plain(card, getData({ tag: 'E0' }))
  expect(parseKeyInformation(data).map(({ id, version }) => [id, version])).toEqual([
    [1, 0x31],
    [2, 0x31],
    [3, 0x31],
  ])
  await expect(open(card)).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
  await expect(open(card, { level: 0x33, keyVersion: 0x30 })).rejects.toMatchObject({
    statusWord: 0x6a88,
  })
  const channel = await open(card, { level: 0x33, value, keyVersion: 0x31 })
  expect(await channel.send(deleteKey({ version: 0x31 }))).toMatchObject({ statusWord: 0x6985 })
})

test.each([24, 32])('keys of %i bytes may follow keys of 16', async (length) => {
  const card = softwareCard({ seed: 'longer' })
  const value = Uint8Array.from({ length }, (_, index) => index)
  const key = { algorithm: 'AES', value } as const
  await putKeys(await open(card), { version: 1, replaces: 0x30, keys: [key, key, key] })
  expect((await open(card, { level: 0x33, value, keyVersion: 1 })).state()).toBe('open')
})

test.each([1, 2])(
  'after a power cut at write %i of PUT KEY one set of keys is whole',
  async (at) => {
    const card = softwareCard({ seed: 'cut' })
    const value = readHex('00112233445566778899AABBCCDDEEFF')
    const key = { algorithm: 'AES', value } as const
    const channel = await open(card)
    card.break({ powerCutBeforeWrite: at })
    const putting = putKeys(channel, { version: 0x30, replaces: 0x30, keys: [key, key, key] })
    if (at === 1) await expect(putting).rejects.toMatchObject({ code: 'transportFailed' })
    else await putting
    card.break({})
    const works = at === 1 ? standardKey : value
    expect((await open(card, { value: works })).state()).toBe('open')
  },
)

test('after a power cut during INSTALL the registry has it or has it not', async () => {
  const card = softwareCard({ seed: 'cut' })
  const channel = await open(card)
  await loadPackage(channel, packageOf)
  card.break({ powerCutBeforeWrite: 1 })
  await expect(channel.send(installForInstall(instance))).rejects.toMatchObject({
    code: 'transportFailed',
    cause: expect.any(PowerCut) as PowerCut,
  })
  const again = await open(card)
  expect(await readRegistry(again.send, 'applications')).toEqual([])
  await run(again.send, installForInstall(instance))
  expect(await readRegistry(again.send, 'applications')).toHaveLength(1)
})

test('LOAD out of order ends loading', async () => {
  const channel = await open(softwareCard({ seed: 'order' }))
  const block = (p1: number, p2: number): Command => ({
    cla: 0x80,
    ins: 0xe8,
    p1,
    p2,
    data: readHex('C40100'),
    isExtended: false,
  })
  expect(await channel.send(block(0x80, 0))).toMatchObject({ statusWord: 0x6985 })
  await run(channel.send, installForLoad({ loadFileAid: file.aid }))
  expect(await channel.send(block(0x80, 1))).toMatchObject({ statusWord: 0x6a86 })
  expect(await channel.send(block(0x80, 0))).toMatchObject({ statusWord: 0x6985 })
})

test.each<[string, Parameters<typeof components>[0], number]>([
  ['an import that the card has not', { import: '01 09 01 07 A0000000620101' }, 0x6438],
  ['another package', { header: 'DECAFFED 0102 04 0001 05 0102030499' }, 0x6a80],
])('refuses to load %s', async (_, parts, statusWord) => {
  const channel = await open(softwareCard({ seed: 'refuse' }))
  const { code } = readCapFile(archive(components(parts)))
  await expect(loadPackage(channel, { loadFileAid: file.aid, code })).rejects.toMatchObject({
    statusWord,
  })
  expect(await readRegistry(channel.send, 'loadFiles')).toHaveLength(1)
})

test('refuses what does not fit into its memory', async () => {
  const channel = await open(softwareCard({ seed: 'small', memory: 100 }))
  await expect(loadPackage(channel, packageOf)).rejects.toMatchObject({ statusWord: 0x6a84 })
})

test('refuses an AID that is taken, and an unknown module', async () => {
  const channel = await open(softwareCard({ seed: 'taken' }))
  await loadPackage(channel, packageOf)
  await expect(loadPackage(channel, packageOf)).rejects.toMatchObject({ statusWord: 0x6985 })
  const unknown = installForInstall({ ...instance, moduleAid: '0102030409' })
  expect(await channel.send(unknown)).toMatchObject({ statusWord: 0x6a88 })
  await run(channel.send, installForInstall(instance))
  expect(await channel.send(installForInstall(instance))).toMatchObject({ statusWord: 0x6985 })
})

test.each<Protocol>(['SCP02', 'SCP03'])('a replay ends a channel of %s', async (protocol) => {
  const sent: Uint8Array[] = []
  const card = softwareCard({ seed: 'replay', protocol })
  const channel = await openSecureChannel(
    {
      transmit: (command) => {
        sent.push(command)
        return card.transmit(command)
      },
    },
    { keys: staticKeys({ enc: standardKey, mac: standardKey, dek: standardKey }), level: 0x01 },
  )
  await channel.send(getStatus({ subset: 'issuer' }))
  const last = toHex(sent.at(-1) ?? new Uint8Array())
  expect(await word(card, last)).toBe('6982')
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
})

test('refuses a key whose check value is that of another', async () => {
  const card = softwareCard({ seed: 'check value' })
  const channel = await open(card)
  const [key] = await channel.encryptKeys([{ algorithm: 'AES', value: new Uint8Array(16) }])
  if (!key) throw new Error('encryptKeys() answers a block for each key')
  const wrong = { ...key, checkValue: readHex('000000') }
  const before = card.snapshot().keySets
  expect(await channel.send(putKey({ version: 1, keys: [key, wrong, key] }))).toMatchObject({
    statusWord: 0x6a80,
  })
  expect(card.snapshot().keySets).toEqual(before)
})

test('management needs a channel, and a channel with MAC needs it on every command', async () => {
  const card = softwareCard({ seed: 'plain' })
  expect(await word(card, '80F28002024F0000')).toBe('6982')
  const channel = await open(card, { level: 0x01 })
  expect(await word(card, '80F28002024F0000')).toBe('6982')
  expect(await channel.send(getStatus({ subset: 'issuer' }))).toMatchObject({ statusWord: 0x6982 })
})

test('a locked card lists and unlocks, and a terminated one only says what it is', async () => {
  const card = softwareCard({ seed: 'locked' })
  const channel = await open(card)
  expect(await channel.send(setCardState({ state: 'secured' }))).toMatchObject({
    statusWord: 0x6985,
  })
  for (const state of ['initialized', 'secured', 'cardLocked'] as const)
    await run(channel.send, setCardState({ state }))
  expect(await channel.send(installForLoad({ loadFileAid: file.aid }))).toMatchObject({
    statusWord: 0x6985,
  })
  expect(await readRegistry(channel.send, 'issuer')).toMatchObject([{ state: 'cardLocked' }])
  expect(await plain(card, select())).toMatchObject({ statusWord: 0x6283 })
  const again = await open(card)
  await run(again.send, setCardState({ state: 'secured' }))
  await run(again.send, setCardState({ state: 'terminated' }))
  card.reset()
  expect(await plain(card, select())).toMatchObject({ statusWord: 0x6985 })
  expect(await plain(card, getData({ tag: '9F7F' }))).toMatchObject({ statusWord: 0x9000 })
})

test('a long registry comes in several replies', async () => {
  const channel = await open(softwareCard({ seed: 'long' }), { level: 0x33 })
  await loadPackage(channel, packageOf)
  for (let index = 0; index < 12; index++)
    await run(
      channel.send,
      installForInstall({ ...instance, instanceAid: `${appletAid}0${index.toString(16)}` }),
    )
  expect(await channel.send(getStatus({ subset: 'applications' }))).toMatchObject({
    statusWord: 0x6310,
  })
  expect(await readRegistry(channel.send, 'applications')).toHaveLength(12)
})

test('an INSTALL that is too long for one command comes in pieces', async () => {
  const card = softwareCard({ seed: 'pieces' })
  const channel = await open(card, { level: 0x33 })
  await loadPackage(channel, packageOf)
  const application = Uint8Array.from({ length: 600 }, (_, index) => index)
  const parameters = installParameters({ application })
  await run(channel.send, installForInstall({ ...instance, parameters }))
  expect(card.snapshot().applications[0]?.parameters).toBe(toHex(parameters))
  expect(await readRegistry(channel.send, 'applications')).toHaveLength(1)
})

test('two cards with one seed behave alike, and a snapshot continues', async () => {
  const first = softwareCard({ seed: 'same', implementation: 0x60 })
  const second = softwareCard({ seed: 'same', implementation: 0x60 })
  const initialize = '8050000008010203040506070800'
  const answers = async (card: SoftwareCard) => [
    toHex(await card.transmit(readHex(initialize))),
    toHex(await card.transmit(readHex(initialize))),
  ]
  const [one, two] = await answers(first)
  expect(await answers(second)).toEqual([one, two])
  expect(one).not.toBe(two)
  const restored = softwareCard(JSON.parse(JSON.stringify(first.snapshot())) as object)
  expect(await answers(restored)).toEqual(await answers(first))
})

test('a wrong status word comes once, and a stuck counter repeats the challenge', async () => {
  const card = softwareCard({ seed: 'faults' })
  card.break({ wrongStatusWord: { ins: 0xca, statusWord: 0x6f00 } })
  expect(await word(card, '80CA9F7F00')).toBe('6F00')
  expect(await word(card, '80CA9F7F00')).toBe('9000')
  card.break({ isCounterStuck: true })
  const initialize = '8050000008010203040506070800'
  const first = toHex(await card.transmit(readHex(initialize)))
  expect(toHex(await card.transmit(readHex(initialize)))).toBe(first)
})

test('a card with other keys fails the check of its cryptogram', async () => {
  const card = softwareCard({ seed: 'faults' })
  card.break({ hasOtherKeys: true })
  await expect(open(card)).rejects.toMatchObject({ code: 'wrongCardCryptogram' })
  card.break({})
  await open(card)
})

test('a card says which faults are still to come', async () => {
  const card = softwareCard({ seed: 'faults' })
  const wrongStatusWord = { ins: 0xca, statusWord: 0x6f00 }
  card.break({ powerCutBeforeWrite: 3, wrongStatusWord, delay: 0 })
  await word(card, '80CA9F7F00')
  await open(card)
  expect(card.faults()).toEqual({ powerCutBeforeWrite: 2, delay: 0 })
  await open(card)
  await expect(open(card)).rejects.toMatchObject({ cause: expect.any(PowerCut) })
  expect(card.faults()).toEqual({ delay: 0 })
})

// Commands that OpenSC sends first.
test.each([
  ['00A4000C023F00', '6A86'],
  ['00CADF3005', '6A88'],
  ['00CB3FFF00', '6D00'],
  ['01A4040000', '6881'],
  ['0070000001', '9000'],
  ['FFCA000000', '6E00'],
  ['A0A40000023F00', '6E00'],
  ['00', '6700'],
])('answers %s with %s', async (command, expected) => {
  expect(await word(softwareCard({ seed: 'probe' }), command)).toBe(expected)
})

test('replies hold data only where a host asks for it, and an empty subset is an empty list', async () => {
  const card = softwareCard({ seed: 'receipts' })
  const channel = await open(card, { level: 0x00 })
  const install = installForLoad({ loadFileAid: file.aid })
  expect(await channel.send({ ...install, le: 256 })).toEqual({
    data: Uint8Array.of(0),
    statusWord: 0x9000,
  })
  const { le: _, ...silent } = install
  expect(await channel.send(silent)).toEqual({ data: new Uint8Array(), statusWord: 0x9000 })
  expect(await word(card, '80F24002024F0000')).toBe('9000')
  expect(await word(card, '80F24002094F07D276000185010100')).toBe('6A88')
})

// Constructed for GlobalPlatformPro's Empty package, with the code of a package like it.
test('takes the bytes that load, install and delete a package, as they go over the wire', async () => {
  const card = softwareCard({ seed: 'golden' })
  await open(card, { level: 0x00 })
  const block = toHex(encodeTlv([{ tag: 'C4', value: file.code }]))
  for (const command of [
    '80E6020012 050102030405 08A000000151000000 000000 00',
    `80E88000${toHex(Uint8Array.of(block.length / 2))}${block}00`,
    '80E60C001E 050102030405 080102030405060708 080102030405060708 0100 02C900 00 00',
    '80E4008007 4F050102030405 00',
  ])
    expect(toHex(await card.transmit(readHex(command)))).toBe('009000')
})
