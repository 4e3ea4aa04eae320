import { expect, test } from 'vitest'
import type { Command } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { getData, select, storeData } from '../host/commands.ts'
import { installForInstall, installForPersonalization } from '../host/install.ts'
import { loadPackage, readRegistry, run } from '../host/run.ts'
import {
  appletAid,
  domainAid,
  installApplet,
  instance,
  newDomain,
  open,
  packageOf,
  plain,
} from '../testing/opened-card.ts'
import { softwareCard } from './software-card.ts'

const store = (hex: string, p1 = 0x80, p2 = 0): Command => ({
  cla: 0x80,
  ins: 0xe2,
  p1,
  p2,
  data: readHex(hex),
  isExtended: false,
})

test('the issuer’s domain gets another name, and everything in it follows', async () => {
  const card = softwareCard({ seed: 'rename' })
  const channel = await open(card)
  await installApplet(channel)
  expect(await channel.send(store(`4F08${appletAid}`, 0x90))).toMatchObject({ statusWord: 0x6985 })
  // As GlobalPlatformPro renames it.
  await run(channel.send, store('4F08A000000003000000', 0x90))
  const selected = await plain(card, select())
  expect(toHex(selected.data)).toContain('8408A000000003000000')
  expect(await readRegistry((await open(card)).send, 'applications')).toMatchObject([
    { aid: appletAid, securityDomainAid: 'A000000003000000' },
  ])
})

test('a card issuer writes its fields of the CPLC, and no others', async () => {
  const card = softwareCard({ seed: 'cplc' })
  const channel = await open(card)
  const before = card.snapshot().cplc
  await run(channel.send, store('9F66081122334455667788'))
  await run(channel.send, store('9F6708AABBCCDDEEFF0011'))
  const { data } = await channel.send(getData({ tag: '9F7F' }))
  expect(toHex(data)).toBe(`9F7F2A${before.slice(0, 52)}AABBCCDDEEFF00111122334455667788`)
  expect(await channel.send(store('9F660111'))).toMatchObject({ statusWord: 0x6700 })
})

test('a domain keeps the objects that it is given, also in data groupings', async () => {
  const card = softwareCard({ seed: 'objects' })
  const issuer = await open(card)
  await run(issuer.send, newDomain())
  const channel = await open(card, { aid: domainAid })
  await run(channel.send, store('4203414243450142', 0x90))
  await run(channel.send, store('0070065F5003646566', 0x88))
  await plain(card, select({ aid: domainAid }))
  const read = async (tag: string) => toHex((await plain(card, getData({ tag }))).data)
  expect(await read('42')).toBe('4203414243')
  expect(await read('45')).toBe('450142')
  expect(await read('5F50')).toBe('5F5003646566')
  const again = await open(card, { aid: domainAid })
  for (const [hex, p1, word] of [
    ['8F010100', 0x88, 0x6a88],
    ['00700A42', 0x88, 0x6a80],
    ['420141', 0xe0, 0x6a81],
    ['4F08A000000003000000', 0x80, 0x6a88],
    ['9F66081122334455667788', 0x80, 0x6a88],
    ['420141', 0x98, 0x6a86],
  ] as const)
    expect(await again.send(store(hex, p1))).toMatchObject({ statusWord: word })
})

test('blocks come in their order, and another command ends them', async () => {
  const card = softwareCard({ seed: 'blocks' })
  const { send } = await open(card)
  expect(await send(store('42', 0x00, 1))).toMatchObject({ statusWord: 0x6a86 })
  await run(send, store('42', 0x00, 0))
  await run(send, store('0241', 0x00, 1))
  await run(send, store('42', 0x80, 2))
  expect(toHex((await send(getData({ tag: '42' }))).data)).toBe('42024142')
  await run(send, store('4202', 0x00, 0))
  await run(send, listIssuer())
  expect(await send(store('4142', 0x80, 1))).toMatchObject({ statusWord: 0x6a86 })
})

/** A command that changes nothing. */
const listIssuer = (): Command => ({
  ...store('4F00'),
  ins: 0xf2,
  p2: 0x02,
})

test('after INSTALL [for personalization] the data goes to the application', async () => {
  const card = softwareCard({ seed: 'personalize' })
  const { send, ...channel } = await open(card)
  await loadPackage({ send, ...channel }, packageOf)
  await run(send, installForInstall(instance))
  await run(send, installForPersonalization({ aid: appletAid }))
  const data = Uint8Array.from({ length: 300 }, (_, index) => index)
  for (const command of storeData({ data, format: 'dgi', blockSize: 200 })) await run(send, command)
  expect(card.snapshot().applications[0]?.data).toEqual({ personalization: toHex(data) })
  const unknown = installForPersonalization({ aid: '0102030499' })
  expect(await send(unknown)).toMatchObject({ statusWord: 0x6a88 })
})

test('the domain above personalizes a domain', async () => {
  const card = softwareCard({ seed: 'personalize' })
  const { send } = await open(card)
  await run(send, newDomain())
  await run(send, installForPersonalization({ aid: domainAid }))
  await run(send, store('4203414243', 0x90))
  expect(toHex((await send(getData({ tag: '42' }))).data)).not.toBe('4203414243')
  expect(await send(store('4F08A000000003000000', 0x90))).toMatchObject({ statusWord: 0x6a88 })
  await plain(card, select({ aid: domainAid }))
  expect(toHex((await plain(card, getData({ tag: '42' }))).data)).toBe('4203414243')
})

test('only the domain of an application personalizes it', async () => {
  const card = softwareCard({ seed: 'personalize' })
  const issuer = await open(card)
  await installApplet(issuer)
  await run(issuer.send, newDomain())
  const channel = await open(card, { aid: domainAid })
  expect(await channel.send(installForPersonalization({ aid: appletAid }))).toMatchObject({
    statusWord: 0x6985,
  })
})
