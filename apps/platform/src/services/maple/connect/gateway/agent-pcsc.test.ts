import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newCard } from '@grove/secure-element/card/card-state'
import { whyNot } from '@grove/secure-element/pcsc/check'
import { openPcscd } from '@grove/secure-element/pcsc/pcscd'
import { startReader } from '@grove/secure-element/pcsc/private-reader'
import { gatewayWorld, type GatewayWorld } from './testing/gateway-world.ts'
import { runAgent } from './testing/run-agent.ts'

const isMissing = whyNot() !== undefined
const needs = '(needs pcscd, vsmartcard-vpcd, pcsc-tools, opensc)'
const [first, second] = ['Virtual PCD 00 00', 'Virtual PCD 00 01']
const cplcOf = (seed: string) => newCard({ seed }).cplc
const waiting = { timeout: 30_000, interval: 100 }

let world: GatewayWorld
let folder = ''
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  world = await gatewayWorld()
  folder = await mkdtemp(join(tmpdir(), 'grove-agent-'))
})
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop()
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

/** A reader of this machine with cards in its slots, and the service that programs reach it by. */
async function readerWith(...seeds: string[]) {
  const reader = await startReader()
  stops.push(reader.stop)
  for (const [slot, seed] of seeds.entries()) await reader.insert(slot === 0 ? 0 : 1, seed)
  const service = await openPcscd(reader.socket)
  stops.push(async () => service.close())
  const count = async () => (await service.readers()).filter(({ atr }) => atr).length
  await vi.waitFor(async () => expect(await count()).toBe(seeds.length), waiting)
  return { ...reader, service }
}

/** A device whose agent offers the cards in it. */
async function deviceAt({ socket }: { socket: string }, id: string, ...more: string[]) {
  const { body } = await world.ask('POST', 'device/claim_code', {
    name: id,
    type: 'iot',
    state: 'accepted',
    mostUses: 1,
  })
  const state = join(folder, `${id}.json`)
  const agent = runAgent(
    world,
    'main.ts',
    ['--id', id, '--state', state, '--code', body.code, '--pcsc', ...more],
    { PCSCLITE_CSOCK_NAME: socket },
  )
  stops.push(agent.stop)
  return {
    said: agent.said,
    offered: async () =>
      (await world.ask('GET', `device/connection?deviceId=${id}`)).body.offered as string[] | null,
    attached: async () =>
      (await world.ask('GET', `device?id=${id}`)).body.items[0]?.elements.map(
        ({ cplc }: { cplc: string }) => cplc,
      ) as string[],
  }
}

async function openSession(cplc: string) {
  const { body } = await world.ask('POST', 'sessions/se', { cplc })
  const path = `sessions/se/${body.id}`
  return {
    body,
    raw: async (command: string) => (await world.ask('POST', `${path}/raw`, { command })).body,
    end: () => world.ask('POST', `${path}/end`),
    state: async () => (await world.ask('GET', path)).body.state as string,
  }
}

test.skipIf(isMissing)(
  `sessions reach two cards in readers of a device at once, each exclusively ${needs}`,
  { timeout: 120_000 },
  async () => {
    const [one, two] = [cplcOf('agent one'), cplcOf('agent two')]
    const { service, ...reader } = await readerWith('agent one', 'agent two')
    const { offered, attached, said } = await deviceAt(reader, 'two-cards')
    await vi.waitFor(async () => expect(await offered()).toEqual([one, two]), waiting)
    expect(said.text).toContain(`Offers the card ${one} in the reader ${first}.`)
    // The claim named them.
    expect((await attached()).toSorted()).toEqual([one, two].toSorted())

    const other = await service.connect(first, { isExclusive: true })
    const refused = await openSession(one)
    expect(await refused.raw('80CA9F7F00')).not.toMatchObject({ state: 'done' })
    await other.disconnect()

    const sessions = [await openSession(one), await openSession(two)]
    expect(sessions.map(({ body }) => body.transport)).toEqual(['device', 'device'])
    for (const [place, cplc] of [one, two].entries()) {
      const session = sessions[place]
      expect(await session?.raw('00A4040000')).toMatchObject({
        state: 'done',
        items: [{ statusWord: '9000' }],
      })
      expect(await session?.raw('80CA9F7F00')).toMatchObject({
        items: [{ reply: `9F7F2A${cplc}9000` }],
      })
    }
    const share = () => service.connect(first, { isExclusive: false })
    await expect(share()).rejects.toMatchObject({ code: 'inUse' })
    for (const session of sessions) await session.end()
    await vi.waitFor(async () => (await share()).disconnect(), waiting)
  },
)

test.skipIf(isMissing)(
  `a removed card, and one that is inserted, are offered accordingly ${needs}`,
  { timeout: 120_000 },
  async () => {
    const [mute, calm, third] = [cplcOf('mute card'), cplcOf('calm card'), cplcOf('third card')]
    const reader = await readerWith('mute card', 'calm card')
    const { offered, said } = await deviceAt(reader, 'changing')
    await vi.waitFor(async () => expect(await offered()).toEqual([mute, calm]), waiting)
    const calmly = await openSession(calm)
    const read = async () => expect(await calmly.raw('80CA9F7F00')).toMatchObject({ state: 'done' })
    await read()

    const session = await openSession(mute)
    expect(await session.raw('80CA9F7F00')).toMatchObject({ state: 'done' })
    const asked = session.raw('00A4040000')
    // The other card answers while this one works.
    await read()
    await reader.remove(0)
    // Whether it ran is unknown.
    expect(await asked).toMatchObject({ state: 'unknown' })
    expect(await session.state()).toBe('failed')
    await vi.waitFor(async () => expect(await offered()).toEqual([calm]), waiting)
    expect((await openSession(mute)).body.code).toBe('transport_missing')

    await reader.insert(0, 'third card')
    await vi.waitFor(async () => expect(await offered()).toEqual([third, calm]), waiting)
    await reader.remove(0)
    await vi.waitFor(async () => expect(await offered()).toEqual([calm]), waiting)
    await reader.insert(0, 'mute card')
    await vi.waitFor(async () => expect(await offered()).toEqual([mute, calm]), waiting)
    expect(await (await openSession(mute)).raw('80CA9F7F00')).toMatchObject({ state: 'done' })
    await read()
    expect(said.text).toContain(`There is no card in the reader ${first}.`)
    expect(said.text).not.toContain('The connection ended')
  },
)

test.skipIf(isMissing)(
  `a card held by another program is reported once, and offered when it is free ${needs}`,
  { timeout: 120_000 },
  async () => {
    const { service, ...reader } = await readerWith('held', 'of the other reader')
    const theirs = await service.connect(first, { isExclusive: true })
    const { offered, said } = await deviceAt(reader, 'held', '--reader', first)
    await vi.waitFor(async () => expect(await offered()).toEqual([]), waiting)
    await theirs.disconnect()
    await vi.waitFor(async () => expect(await offered()).toEqual([cplcOf('held')]), waiting)
    const line = `The card in the reader ${first} cannot be read, trying again: another program uses it.`
    expect(said.text.split(line)).toHaveLength(2)
    expect(said.text).not.toContain(second)
  },
)
