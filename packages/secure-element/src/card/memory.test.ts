import { expect, test } from 'vitest'
import { readHex, toHex } from '../bytes.ts'
import { deleteObject, getData, storeData } from '../host/commands.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForPersonalization,
  installParameters,
  loadParameters,
} from '../host/install.ts'
import { loadPackage, putKeys, run, type Send } from '../host/run.ts'
import { encodeTlv, parseTlv } from '../tlv.ts'
import {
  appletAid,
  domainAid,
  file,
  installApplet,
  instance,
  newDomain,
  open,
  packageOf,
  standardKey,
} from '../testing/opened-card.ts'
import { softwareCard } from './software-card.ts'

const noSpace = { statusWord: 0x6a84 }

/**
 * The number of applications and the free non-volatile and volatile memory, as the card reports them.
 */
async function resources(send: Send) {
  const { data } = await send(getData({ tag: 'FF21' }))
  const [node] = parseTlv(data)
  return (node?.children ?? []).map(({ valueFrom, to }) =>
    Number.parseInt(toHex(data.subarray(valueFrom, to)), 16),
  )
}

test('the card accounts for packages, instances and what they keep, to the byte', async () => {
  const { send, ...channel } = await open(softwareCard({ seed: 'account' }))
  const [, before = 0] = await resources(send)
  expect(before).toBe(96 * 1024)
  await loadPackage({ send, ...channel }, packageOf)
  const [, loaded = 0] = await resources(send)
  expect(before - loaded).toBe(file.code.length)
  await run(send, installForInstall(instance))
  const [count, installed = 0] = await resources(send)
  // An instance takes 256 bytes and its parameters, C900.
  expect([count, loaded - installed]).toEqual([1, 258])
  await run(send, installForPersonalization({ aid: appletAid }))
  for (const command of storeData({ data: new Uint8Array(100) })) await run(send, command)
  expect((await resources(send))[1]).toBe(installed - 100)
  await run(send, deleteObject({ aid: file.aid, withRelated: true }))
  expect(await resources(send)).toEqual([0, before, 4096])
})

test('a package that announces more than there is does not begin to load', async () => {
  const { send } = await open(softwareCard({ seed: 'announce', memory: 1000 }))
  const announce = (memory: Parameters<typeof loadParameters>[0]) =>
    send(installForLoad({ loadFileAid: file.aid, parameters: loadParameters(memory) }))
  expect(await announce({ code: 1001 })).toMatchObject(noSpace)
  expect(await announce({ code: 600, nonVolatile: 401 })).toMatchObject(noSpace)
  expect(await announce({ code: 10, volatile: 5000 })).toMatchObject(noSpace)
  expect(await announce({ code: 600, nonVolatile: 400, volatile: 4096 })).toMatchObject({
    statusWord: 0x9000,
  })
})

test('an instance stays within its quota', async () => {
  const { send, ...channel } = await open(softwareCard({ seed: 'quota' }))
  await loadPackage({ send, ...channel }, packageOf)
  const parameters = installParameters({ nonVolatile: 400 })
  await run(send, installForInstall({ ...instance, parameters }))
  await run(send, installForPersonalization({ aid: appletAid }))
  const store = async (length: number) => {
    const [command] = storeData({ data: new Uint8Array(length) })
    return command ? send(command) : undefined
  }
  expect(await store(200)).toMatchObject(noSpace)
  await run(send, installForPersonalization({ aid: appletAid }))
  expect(await store(100)).toMatchObject({ statusWord: 0x9000 })
  const small = installParameters({ nonVolatile: 100 })
  const command = installForInstall({ ...instance, instanceAid: '0102030499', parameters: small })
  expect(await send(command)).toMatchObject(noSpace)
})

test('the quota of a domain counts everything in it', async () => {
  const { send, ...channel } = await open(softwareCard({ seed: 'domain quota' }))
  const parameters = installParameters({ nonVolatile: 700 })
  await run(send, newDomain({ parameters }))
  await installApplet({ send, ...channel })
  await run(send, installForInstall({ ...instance, instanceAid: '0102030499' }))
  const move = (aid: string) => send(installForExtradition({ aid, securityDomainAid: domainAid }))
  expect(await move(appletAid)).toMatchObject({ statusWord: 0x9000 })
  expect(await move('0102030499')).toMatchObject(noSpace)
})

test('reserved memory is taken from the beginning', async () => {
  const { send, ...channel } = await open(softwareCard({ seed: 'reserved' }))
  await loadPackage({ send, ...channel }, packageOf)
  const [, before = 0] = await resources(send)
  const reserved = encodeTlv([
    { tag: 'C9', value: new Uint8Array() },
    {
      tag: 'EF',
      value: [
        { tag: 'D7', value: readHex('0400') },
        { tag: 'D8', value: readHex('0800') },
      ],
    },
  ])
  await run(send, installForInstall({ ...instance, parameters: reserved }))
  expect(await resources(send)).toEqual([1, before - 256 - 2048, 4096 - 1024])
})

test('keys take memory too', async () => {
  const card = softwareCard({ seed: 'keys', memory: 300 })
  const channel = await open(card)
  const key = { algorithm: 'AES', value: standardKey } as const
  await putKeys(channel, { version: 1, keys: [key, key, key] })
  await expect(putKeys(channel, { version: 2, keys: [key, key, key] })).rejects.toMatchObject(
    noSpace,
  )
  expect(card.snapshot().keySets.map(({ version }) => version)).toEqual([0x30, 1])
})

test('LOAD stops where memory ends, and frees what it took', async () => {
  const { send } = await open(softwareCard({ seed: 'full', memory: 500 }))
  await run(send, installForLoad({ loadFileAid: file.aid }))
  const block = (index: number) => ({
    cla: 0x80,
    ins: 0xe8,
    p1: 0,
    p2: index,
    data: new Uint8Array(200),
    isExtended: false,
  })
  await run(send, block(0))
  await run(send, block(1))
  expect((await resources(send))[1]).toBe(100)
  expect(await send(block(2))).toMatchObject(noSpace)
  expect(await resources(send)).toEqual([0, 500, 4096])
  expect(await send(block(3))).toMatchObject({ statusWord: 0x6985 })
})
