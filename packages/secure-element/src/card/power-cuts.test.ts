import { expect, test } from 'vitest'
import { toHex } from '../bytes.ts'
import { deleteObject, setCardState, setLock, storeData, select } from '../host/commands.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForPersonalization,
} from '../host/install.ts'
import { load } from '../host/load.ts'
import { loadPackage, putKeys, readRegistry, run } from '../host/run.ts'
import type { Protocol } from '../secure-channel/security-level.ts'
import {
  appletAid,
  domainAid,
  file,
  installApplet,
  instance,
  newDomain,
  open,
  otherKey,
  packageOf,
  plain,
  standardKey,
} from '../testing/opened-card.ts'
import type { CardState } from './card-state.ts'
import { freeMemory } from './memory.ts'
import { PowerCut, softwareCard, type SoftwareCard } from './software-card.ts'

const keyOf = (protocol: Protocol) =>
  ({ algorithm: protocol === 'SCP03' ? 'AES' : 'DES', value: otherKey }) as const

/** The life of a card, from delivery to a key rotation. */
async function life(card: SoftwareCard, protocol: Protocol) {
  const { send, ...channel } = await open(card)
  // Small blocks: a package takes many writes to load.
  await run(send, installForLoad({ loadFileAid: file.aid }))
  for (const block of load({ code: file.code, blockSize: 40 })) await run(send, block)
  await run(send, installForInstall(instance))
  await run(send, newDomain())
  await run(send, installForExtradition({ aid: appletAid, securityDomainAid: domainAid }))
  await run(send, installForExtradition({ aid: appletAid, securityDomainAid: 'A000000151000000' }))
  await run(send, installForPersonalization({ aid: appletAid }))
  for (const command of storeData({ data: new Uint8Array(30), blockSize: 20 }))
    await run(send, command)
  await run(send, setLock({ aid: appletAid, isLocked: true }))
  await run(send, setCardState({ state: 'initialized' }))
  await run(send, deleteObject({ aid: domainAid }))
  await run(send, deleteObject({ aid: file.aid, withRelated: true }))
  const version = channel.keyVersion
  await putKeys(
    { send, ...channel },
    { version, replaces: version, keys: [1, 2, 3].map(() => keyOf(protocol)) },
  )
}

/** Invariants of every card after power returns. */
async function checkWhole(card: SoftwareCard) {
  const { applications, loadFiles, issuerAid, keySets, loadedBytes, ...state } = card.snapshot()
  expect(loadedBytes).toBe(0)
  for (const { loadFileAid, domainAid: place } of applications) {
    expect(loadFiles.map(({ aid }) => aid)).toContain(loadFileAid)
    expect([issuerAid, ...applications.map(({ aid }) => aid)]).toContain(place)
  }
  const values = new Set(keySets.flatMap(({ keys }) => keys.map(({ value }) => value)))
  expect(values.size).toBe(1)
  const [value = ''] = values
  const isOld = value === toHex(standardKey)
  expect(isOld || value === toHex(otherKey)).toBe(true)
  const channel = await open(card, { value: isOld ? standardKey : otherKey })
  // Whatever blocks a fresh start can be deleted, and then all memory is free.
  for (const { aid } of await readRegistry(channel.send, 'applications'))
    await run(channel.send, deleteObject({ aid }))
  for (const { aid } of (await readRegistry(channel.send, 'loadFiles')).slice(1))
    await run(channel.send, deleteObject({ aid }))
  const after = card.snapshot()
  expect(freeMemory(after)).toBe(state.memory)
}

test.each<Protocol>(['SCP02', 'SCP03'])(
  'a power cut before any write of a whole life leaves a card that works over %s',
  async (protocol) => {
    let cuts = 0
    for (let at = 1; ; at++) {
      const card = softwareCard({ seed: 'life', protocol })
      card.break({ powerCutBeforeWrite: at })
      const error: unknown = await life(card, protocol).then(
        () => undefined,
        (cause: unknown) => cause,
      )
      if (error === undefined) break
      expect(error).toMatchObject({
        code: 'transportFailed',
        cause: expect.any(PowerCut) as object,
      })
      cuts++
      await checkWhole(card)
    }
    // Opening a channel, blocks, and each command that changes something.
    expect(cuts).toBe(15)
  },
)

test('half a package is gone after the next power-on, and its memory is free', async () => {
  const card = softwareCard({ seed: 'half' })
  const { send } = await open(card)
  const before = freeMemory(card.snapshot())
  await run(send, installForLoad({ loadFileAid: file.aid }))
  const [first, second] = load({ code: file.code, blockSize: 40 })
  if (first && second) {
    await run(send, first)
    await run(send, second)
  }
  expect(freeMemory(card.snapshot())).toBe(before - 80)
  card.reset()
  expect(freeMemory(card.snapshot())).toBe(before)
  const again = await open(card)
  await loadPackage(again, packageOf)
})

/** Load, install and make selectable combined. */
async function combined(card: SoftwareCard) {
  const { send } = await open(card)
  await run(send, installForLoad({ loadFileAid: file.aid, isCombined: true }))
  for (const block of load({ code: file.code, blockSize: 60 })) await run(send, block)
  return send(installForInstall({ ...instance, isCombined: true }))
}

const contents = ({ loadFiles, applications }: CardState) => [
  loadFiles.slice(1).map(({ aid }) => aid),
  applications.map(({ aid, lifeCycle }) => [aid, lifeCycle]),
]

test('load, install and make selectable as one does all or nothing', async () => {
  const whole = softwareCard({ seed: 'combined' })
  expect(await combined(whole)).toMatchObject({ statusWord: 0x9000 })
  expect(contents(whole.snapshot())).toEqual([[file.aid], [[appletAid, 0x07]]])
  for (let at = 1; at <= 4; at++) {
    const card = softwareCard({ seed: 'combined' })
    card.break({ powerCutBeforeWrite: at })
    await expect(combined(card)).rejects.toMatchObject({ cause: expect.any(PowerCut) as object })
    expect(contents(card.snapshot())).toEqual([[], []])
    expect(await combined(card)).toMatchObject({ statusWord: 0x9000 })
  }
})

test('a refused end, or another command, leaves nothing of a combined installation', async () => {
  const card = softwareCard({ seed: 'combined' })
  const before = freeMemory(card.snapshot())
  const { send } = await open(card)
  const begin = async () => {
    await run(send, installForLoad({ loadFileAid: file.aid, isCombined: true }))
    for (const block of load({ code: file.code, blockSize: 60 })) await run(send, block)
  }
  const end = installForInstall({ ...instance, isCombined: true })
  await begin()
  const unknown = installForInstall({ ...instance, moduleAid: '0102030499', isCombined: true })
  expect(await send(unknown)).toMatchObject({ statusWord: 0x6a88 })
  expect(await send(end)).toMatchObject({ statusWord: 0x6985 })
  await begin()
  await run(send, newDomain())
  expect(await send(end)).toMatchObject({ statusWord: 0x6985 })
  await run(send, deleteObject({ aid: domainAid }))
  expect(freeMemory(card.snapshot())).toBe(before)
  await begin()
  await run(send, end)
})

test('an applet that is selected when power goes is selected no longer', async () => {
  const card = softwareCard({ seed: 'applet' })
  await installApplet(await open(card))
  await plain(card, select({ aid: appletAid }))
  card.reset()
  expect((await open(card)).state()).toBe('open')
})
