import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { encodeCommand, parseResponse, type Command, type Response } from '../apdu.ts'
import { readHex } from '../bytes.ts'
import {
  firstPlaces,
  forgotten,
  managedChannel,
  placeFor,
  placesAfter,
  withPlace,
} from '../card-places.ts'
import { logicalChannelOf, onLogicalChannel } from '../class-byte.ts'
import {
  classifyBytes,
  classifyCommand,
  commandIn,
  needsRegistry,
  placeWith,
  type Classified,
} from '../command-class.ts'
import { CommandError } from '../host/command-error.ts'
import {
  closeLogicalChannel,
  deleteKey,
  deleteObject,
  getData,
  getStatus,
  openLogicalChannel,
  select,
  setApplicationState,
  setCardState,
  setLock,
  storeData,
} from '../host/commands.ts'
import {
  installForExtradition,
  installForInstall,
  installForLoad,
  installForMakeSelectable,
  installForPersonalization,
  installForRegistryUpdate,
} from '../host/install.ts'
import { load } from '../host/load.ts'
import { logicalChannel } from '../host/logical-channel.ts'
import { putKey } from '../host/put-key.ts'
import { putKeys, readRegistry, run } from '../host/run.ts'
import { exchange } from '../host/transport.ts'
import { privilegeConflicts, privilegeNames, type PrivilegeName } from '../privileges.ts'
import type { SecureChannel } from '../secure-channel/channel.ts'
import { ChannelError } from '../secure-channel/channel-error.ts'
import type { SecurityLevel } from '../secure-channel/security-level.ts'
import {
  appletAid,
  domainAid,
  file,
  installApplet,
  instance,
  newDomain,
  open,
  otherKey,
  standardKey,
} from '../testing/opened-card.ts'
import type { CardState } from './card-state.ts'
import { appletModels } from './models/models.ts'
import { softwareCard } from './software-card.ts'

vi.setConfig({ testTimeout: 120_000 })

const issuerAid = 'A000000151000000'
const packageOfDomains = 'A0000001515350'
const models = appletModels.flatMap(({ aids }) => aids)
const key = { algorithm: 'AES', value: otherKey } as const

/** A card with applets, a domain with keys of its own, one without, and spare keys. */
async function fullCard(): Promise<CardState> {
  const card = softwareCard({ seed: 'effects', memory: 32 * 1024, mostFailures: 200 })
  const channel = await open(card)
  await installApplet(channel)
  const privileges: PrivilegeName[] = ['securityDomain', 'authorizedManagement', 'globalDelete']
  await run(channel.send, newDomain({ privileges }))
  await run(channel.send, newDomain({ instanceAid: `${domainAid}02` }))
  for (const instanceAid of models)
    await run(channel.send, installForInstall({ ...instance, instanceAid }))
  await putKeys(channel, { version: 0x32, keys: [key, key, key] })
  const own = await open(card, { aid: domainAid })
  await putKeys(own, { version: 0x31, keys: [key, key, key] })
  return card.snapshot()
}
const full = await fullCard()

const domainsOf = (state: CardState) => [
  ['issuer', state.keySets] as const,
  ...state.applications.flatMap(({ aid, domain }) =>
    domain ? [[aid, domain.keySets] as const] : [],
  ),
]

/**
 * State that belongs to the owner of the keys: keys, the domains that have them, the card's life
 * cycle.
 */
const guarded = (state: CardState, domains: readonly string[]) => ({
  lifeCycle: state.lifeCycle,
  keys: domainsOf(state)
    .filter(([aid]) => domains.includes(aid))
    .map(([aid, sets]) => [aid, sets.map(({ version, keys }) => ({ version, keys }))]),
})

/** Without transient state of a channel: counters, random numbers, an incomplete load file. */
const settled = (state: CardState) =>
  JSON.stringify({ ...state, drawn: 0, loadedBytes: 0 }, (name, value: unknown) =>
    name === 'counter' ? 0 : value,
  )

/** On a logical channel, which may not be open. */
type Step = { on: number } & (
  | { kind: 'open'; aid: string | null; level: SecurityLevel }
  | { kind: 'bytes'; bytes: Uint8Array }
  | { kind: 'keys'; version: number; replaces: number }
  | { kind: 'commands'; commands: readonly Command[] }
)

/**
 * Runs steps as a session does: each is classified, and only reads and reversible changes are sent.
 */
async function drive(from: CardState, steps: readonly Step[]): Promise<number> {
  const card = softwareCard(from)
  let places = firstPlaces
  const channels = new Map<number, SecureChannel>()
  let changed = 0
  let before = card.snapshot()

  const check = ({ class: name }: Classified, what: string) => {
    const after = card.snapshot()
    const domains = domainsOf(before).map(([aid]) => aid)
    expect([what, guarded(after, domains)]).toEqual([what, guarded(before, domains)])
    const isSame = settled(after) === settled(before)
    if (name === 'reads') expect([what, isSame]).toEqual([what, true])
    if (!isSame) changed++
    before = after
  }
  const note = (command: Command, response: Response) => {
    places = placesAfter(places, command, response)
    const managed = managedChannel(command, response)
    if (managed) channels.delete(managed.number)
    return response
  }
  const askRegistry = async (sent: Command | Uint8Array, cla: number) => {
    const on = logicalChannelOf(cla)
    const opened = channels.get(on)
    if (!opened || !needsRegistry(sent, placeFor(places, cla))) return
    const read = (subset: 'issuer' | 'applications') =>
      readRegistry(
        async (each) =>
          note({ ...each, cla: onLogicalChannel(each.cla, on) }, await opened.send(each)),
        subset,
      ).catch((error: unknown) => {
        if (error instanceof CommandError) return undefined
        throw error
      })
    const issuer = (await read('issuer')) ?? []
    const applications = await read('applications')
    if (applications)
      places = withPlace(
        places,
        on,
        placeWith(placeFor(places, cla), [...issuer, ...applications], issuer.length > 0),
      )
  }

  async function sendCommand(command: Command): Promise<void> {
    const { cla } = command
    await askRegistry(command, cla)
    const found = classifyCommand(command, placeFor(places, cla))
    if (found.class === 'keys' || found.class === 'irreversible') return
    const on = logicalChannelOf(cla)
    if (cla === on && command.ins === 0xa4) channels.delete(on)
    const channel = channels.get(on)
    note(
      command,
      await (channel
        ? channel.send({ ...command, cla: onLogicalChannel(cla, 0) })
        : exchange(card, command)),
    )
    check(found, JSON.stringify(command))
  }

  async function sendBytes(bytes: Uint8Array): Promise<void> {
    const [cla = 0] = bytes
    await askRegistry(bytes, cla)
    const found = classifyBytes(bytes, placeFor(places, cla))
    if (found.class === 'keys' || found.class === 'irreversible') return
    channels.delete(logicalChannelOf(cla))
    const reply = await card.transmit(bytes)
    const command = commandIn(bytes)
    if (command) note(command, parseResponse(reply))
    else places = forgotten(places)
    check(found, String(bytes))
  }

  async function openChannel(on: number, aid: string | null, level: SecurityLevel) {
    if (aid !== null) await sendCommand(onNumber(select({ aid }), on))
    channels.delete(on)
    const own = { ...card, ...logicalChannel(card, on) }
    // One key is for the issuer domain, the other for the other domain.
    for (const value of [standardKey, otherKey]) {
      const channel = await open(own, { level, value }).catch(() => undefined)
      if (!channel) continue
      channels.set(on, channel)
      break
    }
    before = card.snapshot()
    const place = placeFor(places, on)
    if (channels.has(on) && place.selected === 'silent')
      places = withPlace(places, on, { ...place, selected: 'domain' })
  }

  async function sendKeys(on: number, version: number, replaces: number): Promise<void> {
    const channel = channels.get(on)
    if (!channel) return
    const keys = await channel.encryptKeys([key, key, key])
    const put = putKey({ version, ...(replaces > 0 && { replaces }), keys })
    await sendCommand(onNumber(put, on))
  }

  for (const step of steps)
    try {
      if (step.kind === 'open') await openChannel(step.on, step.aid, step.level)
      else if (step.kind === 'keys') await sendKeys(step.on, step.version, step.replaces)
      else if (step.kind === 'bytes') await sendBytes(step.bytes)
      else for (const command of step.commands) await sendCommand(onNumber(command, step.on))
    } catch (error) {
      // A session would end here; the next one begins with a reset.
      if (!(error instanceof ChannelError)) throw error
      card.reset()
      places = firstPlaces
      channels.clear()
    }
  return changed
}

/** A command whose class byte names no logical channel goes to this one. */
const onNumber = (command: Command, on: number): Command =>
  (command.cla & 0x43) === 0 ? { ...command, cla: onLogicalChannel(command.cla, on) } : command

const aids = fc.constantFrom(
  issuerAid,
  domainAid,
  `${domainAid}02`,
  packageOfDomains,
  'A000000151535041',
  appletAid,
  file.aid,
  'D27600008501',
  ...models,
)
const privileges = fc
  .subarray([...privilegeNames], { maxLength: 2 })
  .filter((names) => privilegeConflicts(names).length === 0)
const withDomains = fc.constantFrom<PrivilegeName[][]>([], ['securityDomain'])
const lifeByte = fc.constantFrom(0x00, 0x01, 0x03, 0x07, 0x0f, 0x7f, 0x80, 0x83, 0x87, 0xff)
const stored = fc.oneof(
  fc.constantFrom(
    '42031122334503445566',
    '4F08A000000151000099',
    '8F0110',
    '00700542034142',
    'A6029001',
  ),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('hex')),
)

/** Each item is one command, or several that belong together. */
const commands: fc.Arbitrary<readonly Command[]> = fc.oneof(
  aids.map((aid) => [select({ aid })]),
  aids.map((aid) => [select({ aid: aid.slice(0, 10), isNext: true })]),
  fc.constantFrom('issuer', 'applications', 'loadFiles').map((subset) => [getStatus({ subset })]),
  fc.constantFrom('66', '67', 'E0', 'CF', '9F7F', 'FF21').map((tag) => [getData({ tag })]),
  {
    weight: 4,
    arbitrary: fc
      .tuple(aids, fc.boolean())
      .map(([aid, withRelated]) => [deleteObject({ aid, withRelated })]),
  },
  fc.integer({ min: 1, max: 0x7f }).map((version) => [deleteKey({ version })]),
  fc.constantFrom(0x30, 0x31, 0x32).map((version) => [deleteKey({ version })]),
  fc
    .tuple(aids, fc.boolean(), fc.boolean())
    .map(([aid, isLocked, withApplications]) => [setLock({ aid, isLocked, withApplications })]),
  fc.tuple(aids, lifeByte).map(([aid, state]) => [setApplicationState({ aid, state })]),
  fc
    .constantFrom('initialized', 'secured', 'cardLocked', 'terminated')
    .map((state) => [setCardState({ state })]),
  fc
    .tuple(stored, fc.constantFrom('unspecified', 'dgi', 'tlv'), fc.integer({ min: 3, max: 255 }))
    .map(([data, format, blockSize]) => storeData({ data: readHex(data), format, blockSize })),
  aids.map((aid) => [installForPersonalization({ aid })]),
  fc
    .tuple(aids, fc.oneof(privileges, withDomains))
    .map(([instanceAid, given]) => [newDomain({ instanceAid, privileges: given })]),
  fc
    .tuple(aids, privileges)
    .map(([instanceAid, given]) => [
      installForInstall({ ...instance, instanceAid, privileges: given }),
    ]),
  fc
    .tuple(aids, privileges)
    .map(([aid, given]) => [installForRegistryUpdate({ aid, privileges: given })]),
  fc
    .tuple(aids, aids)
    .map(([aid, securityDomainAid]) => [installForExtradition({ aid, securityDomainAid })]),
  aids.map((instanceAid) => [installForMakeSelectable({ instanceAid, privileges: [] })]),
  fc.constant([
    installForLoad({ loadFileAid: file.aid }),
    ...load({ code: file.code, blockSize: 200 }),
  ]),
)

/** Header bits that a sender may vary. */
const altered = fc
  .tuple(
    commands,
    fc.constantFrom(0x00, 0x04, 0x10, 0x80, 0x84, 0x90, 0x81, 0xff),
    fc.option(lifeByte),
    fc.option(fc.constantFrom(0x00, 0x01, 0x02, 0x0c, 0x40, 0x60, 0x80, 0xff)),
  )
  .map(([all, cla, p2, p1]) =>
    all.map((command) => ({ ...command, cla, p1: p1 ?? command.p1, p2: p2 ?? command.p2 })),
  )
const level = fc.constantFrom<SecurityLevel[]>(0x00, 0x01, 0x03, 0x33)

type Unplaced<Each> = Each extends Step ? Omit<Each, 'on'> : never

const unplaced: fc.Arbitrary<Unplaced<Step>> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom(openLogicalChannel(), openLogicalChannel(), closeLogicalChannel(1))
      .map((each) => ({ kind: 'commands' as const, commands: [each] })),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(null, issuerAid, issuerAid, domainAid), level)
      .map(([aid, each]) => ({ kind: 'open' as const, aid, level: each })),
  },
  fc
    .tuple(fc.constantFrom(0x30, 0x31, 0x32), fc.constantFrom(0, 0x30, 0x31))
    .map(([version, replaces]) => ({ kind: 'keys' as const, version, replaces })),
  { weight: 16, arbitrary: commands.map((all) => ({ kind: 'commands' as const, commands: all })) },
  { weight: 3, arbitrary: altered.map((all) => ({ kind: 'commands' as const, commands: all })) },
  {
    weight: 2,
    arbitrary: fc
      .oneof(commands, altered)
      .map(([first = select()]) => ({ kind: 'bytes' as const, bytes: encodeCommand(first) })),
  },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ minLength: 4, maxLength: 40 })
      .map((bytes) => ({ kind: 'bytes' as const, bytes })),
  },
)

const step: fc.Arbitrary<Step> = fc
  .tuple(unplaced, fc.constantFrom(0, 0, 0, 1, 1, 2))
  .map(([each, on]) => ({ ...each, on }))

test('what reads changes nothing, and what can be taken back leaves keys and the state of the card', async () => {
  let changed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0x01, 0x07, 0x0f),
      fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
      async (lifeCycle, steps) => {
        // Most runs begin where commands have an effect.
        const begin: Step[] = [
          { kind: 'commands', commands: [openLogicalChannel()], on: 0 },
          { kind: 'open', aid: null, level: 0x03, on: 0 },
          { kind: 'open', aid: null, level: 0x03, on: 1 },
        ]
        changed += await drive({ ...full, lifeCycle }, [...begin, ...steps])
      },
    ),
    { numRuns: 200 },
  )
  // If every command were refused, the property would prove nothing.
  expect(changed).toBeGreaterThan(30)
})
