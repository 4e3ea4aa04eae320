import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseResponse } from '../apdu.ts'
import { readHex, toHex } from '../bytes.ts'
import { installForInstall, installForPersonalization, installParameters } from '../host/install.ts'
import { deleteObject, select, setLock, storeData } from '../host/commands.ts'
import { loadPackage, putKeys, readRegistry, run } from '../host/run.ts'
import type { SecurityLevel } from '../secure-channel/security-level.ts'
import { isStatusWord } from '../status-word.ts'
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
import { cardProfiles } from './card-profile.ts'
import type { CardState } from './card-state.ts'
import { freeMemory } from './memory.ts'
import { appletModels } from './models/models.ts'
import { scp11Example } from './scp11-example.ts'
import { softwareCard, type SoftwareCard } from './software-card.ts'

// Hundreds of runs take seconds, more on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const models = appletModels.flatMap(({ aids }) => aids)

/** A card with a domain, and an applet of each model. */
async function full(): Promise<CardState> {
  const card = softwareCard({ ...cardProfiles.scp11, seed: 'fuzz', memory: 16 * 1024 })
  const channel = await open(card)
  await installApplet(channel)
  await run(channel.send, newDomain({ privileges: ['securityDomain', 'authorizedManagement'] }))
  for (const instanceAid of models)
    await run(channel.send, installForInstall({ ...instance, instanceAid }))
  return card.snapshot()
}

/** The commands of a session as the card receives them at level 00. */
async function recorded(): Promise<Uint8Array[]> {
  const card = softwareCard({ seed: 'record' })
  const sent: Uint8Array[] = []
  const spy: SoftwareCard = {
    ...card,
    transmit: (bytes) => {
      sent.push(bytes)
      return card.transmit(bytes)
    },
  }
  const channel = await open(spy, { level: 0x00 })
  const { send } = channel
  await loadPackage(channel, packageOf)
  const parameters = installParameters({ application: Uint8Array.of(1), nonVolatile: 2000 })
  await run(send, installForInstall({ ...instance, parameters }))
  await run(send, newDomain())
  await run(send, installForPersonalization({ aid: appletAid }))
  for (const command of storeData({ data: readHex('4203414243'), format: 'tlv' }))
    await run(send, command)
  await readRegistry(send, 'applications')
  await run(send, setLock({ aid: domainAid, isLocked: true, withApplications: true }))
  const key = { algorithm: 'AES', value: otherKey } as const
  await putKeys(channel, { version: 0x31, keys: [key, key, key] })
  await run(send, deleteObject({ aid: file.aid, withRelated: true }))
  const agreement = `A60D9002110095013C8001888101105F4941${scp11Example.authorityPoint}`
  const ofScp11 = [
    `80880113${(agreement.length / 2).toString(16)}${agreement}`,
    `80820111${(agreement.length / 2).toString(16)}${agreement.replace('021100', '021101')}`,
    `802A011000${(scp11Example.hostCertificate.length / 2).toString(16).padStart(4, '0')}${scp11Example.hostCertificate}`,
    '80CABF2106A6048302130100',
    '00C0000000',
    '0070000001',
    '00700001',
    '0170000001',
    '00708001',
    `01A4040008${appletAid}00`,
    '81500000080102030405060708',
  ].map((hex) => readHex(hex))
  return [...sent.filter(([, ins]) => ins !== 0x82), ...ofScp11]
}

const [state, recording] = await Promise.all([full(), recorded()])

const header = fc.tuple(
  fc.constantFrom(0x00, 0x80, 0x84, 0x04, 0x90, 0xff, 0x01, 0x81, 0x85),
  fc.oneof(
    fc.constantFrom(
      0xa4,
      0xca,
      0x50,
      0x82,
      0x2a,
      0x88,
      0xc0,
      0xf2,
      0xf0,
      0xe6,
      0xe8,
      0xe4,
      0xd8,
      0xe2,
      0x59,
      0xd6,
      0x70,
    ),
    fc.nat(255),
  ),
  fc.oneof(fc.constantFrom(0x00, 0x04, 0x0c, 0x10, 0x20, 0x40, 0x80), fc.nat(255)),
  fc.oneof(fc.constantFrom(0x00, 0x02, 0x03, 0x80, 0x81), fc.nat(255)),
)
const known = fc.constantFrom(appletAid, domainAid, file.aid, 'A000000151000000', ...models)
const field = fc.oneof(
  known.map((aid) => readHex(aid)),
  fc.uint8Array({ maxLength: 40 }),
)
/** Length-value pairs, as in INSTALL, or data objects. */
const body = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc
    .array(field, { maxLength: 6 })
    .map((all) => Uint8Array.from(all.flatMap((each) => [each.length, ...each])).slice(0, 250)),
  fc
    .tuple(fc.constantFrom(0x4f, 0x42, 0xd2, 0xc4, 0xc9, 0xef, 0x5c), field)
    .map(([tag, value]) => Uint8Array.of(tag, value.length, ...value)),
)
const shaped = fc
  .tuple(header, body)
  .map(([head, data]) => Uint8Array.of(...head, data.length, ...data, 0))
const spoiled = fc
  .tuple(
    fc.constantFrom(...recording),
    fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 2 }),
    fc.nat(3),
  )
  .map(([seed, changes, cut]) => {
    const bytes = seed.slice(0, Math.max(1, seed.length - (cut === 3 ? 1 : 0)))
    for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
    return bytes
  })
const anything = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 4, arbitrary: shaped },
  { weight: 4, arbitrary: spoiled },
)

/** JSON takes several characters for one byte of the card. */
const maxCharacters = (memory: number) => memory * 16

async function survives(card: SoftwareCard, list: readonly Uint8Array[]) {
  for (const each of list) {
    const reply = await card.transmit(each)
    const { statusWord } = parseResponse(reply)
    expect(isStatusWord(statusWord) && statusWord !== 0x6f00).toBe(true)
    expect(reply.length).toBeLessThanOrEqual(258)
  }
  const after = card.snapshot()
  expect(freeMemory(after)).toBeGreaterThanOrEqual(0)
  expect(JSON.stringify(after).length).toBeLessThan(maxCharacters(after.memory))
}

const selections = ['none', 'A000000151000000', domainAid, appletAid, ...models]

describe.each(selections)('with %s selected', (aid) => {
  const isDomain = aid.startsWith('A00000015')
  const channels: [string, SecurityLevel?][] = [
    ['in a channel at level 00', 0x00],
    ['in a channel at level 33', 0x33],
  ]
  const without: typeof channels = [['without a channel']]
  test.each(isDomain ? channels : without)(
    'any byte string gets a status word and memory stays bounded, %s',
    async (_, level) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anything, { maxLength: 12 }), async (list) => {
          const card = softwareCard(state)
          if (level !== undefined) await open(card, { aid, level })
          else if (aid !== 'none') await plain(card, select({ aid }))
          await survives(card, list)
        }),
        { numRuns: 80 },
      )
    },
  )
})

test('a protected command with any contents gets a protected answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(header, body), { maxLength: 8 }), async (list) => {
      const card = softwareCard(state)
      const channel = await open(card, { level: 0x33 })
      for (const [[, ins, p1, p2], data] of list) {
        // SELECT is sent unprotected within a channel.
        const command = {
          cla: 0x80,
          ins: ins === 0xa4 ? 0xf2 : ins,
          p1,
          p2,
          data,
          isExtended: false,
        }
        // Opening another channel closes this one.
        if (ins === 0x50 || ins === 0x82 || ins === 0x2a || ins === 0x88) continue
        const isPiece = (ins === 0xe6 || ins === 0xd8) && p1 >= 0x80
        if (isPiece) continue
        const { statusWord } = await channel.send(command)
        expect(isStatusWord(statusWord)).toBe(true)
      }
      expect(channel.state()).toBe('open')
    }),
    { numRuns: 200 },
  )
})

test('a card restored from a snapshot gives the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anything, { maxLength: 8 }),
      fc.array(anything, { maxLength: 8 }),
      async (before, after) => {
        const card = softwareCard(state)
        await open(card, { level: 0x00 })
        for (const each of before) await card.transmit(each)
        card.reset()
        const copy = softwareCard(JSON.parse(JSON.stringify(card.snapshot())) as object)
        for (const each of after)
          expect(toHex(await copy.transmit(each))).toBe(toHex(await card.transmit(each)))
        expect(copy.snapshot()).toEqual(card.snapshot())
      },
    ),
    { numRuns: 150 },
  )
})

test('every instruction with every P1 and P2 is answered in a channel', async () => {
  const values = [0x00, 0x01, 0x02, 0x03, 0x04, 0x08, 0x0c, 0x0e, 0x10, 0x20, 0x40, 0x60, 0x7f]
  const all = [...values, 0x80, 0x81, 0xa0, 0xc0, 0xe0, 0xff]
  const card = softwareCard(state)
  await open(card, { level: 0x00 })
  for (let ins = 0; ins <= 0xff; ins++) {
    // These close the channel.
    if (ins === 0xa4 || ins === 0x50 || ins === 0x82) continue
    for (const p1 of all)
      for (const p2 of ins < 0xc0 ? [0] : all) {
        // This terminates the card.
        if (ins === 0xf0 && p1 === 0x80 && p2 === 0xff) continue
        const reply = parseResponse(await card.transmit(Uint8Array.of(0x80, ins, p1, p2, 0)))
        expect(isStatusWord(reply.statusWord)).toBe(true)
      }
  }
  expect((await open(card, { value: standardKey })).state()).toBe('open')
})

test('filling a card with domains ends at 6A84', async () => {
  const card = softwareCard({ seed: 'tiny', memory: 2048 })
  const { send } = await open(card)
  const words = new Set<number>()
  for (let index = 0; index < 300; index++) {
    const instanceAid = `${appletAid}${index.toString(16).padStart(4, '0')}`
    words.add((await send(newDomain({ instanceAid }))).statusWord)
  }
  expect([...words]).toEqual([0x9000, 0x6a84])
  expect(JSON.stringify(card.snapshot()).length).toBeLessThan(maxCharacters(2048))
})
