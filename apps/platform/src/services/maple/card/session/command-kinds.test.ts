import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RanCommand } from '@grove/contract/maple/card/session'
import { encodeCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { readCapFile } from '@grove/secure-element/cap/cap-file'
import { makeCap } from '@grove/secure-element/cap/make-cap'
import type { CardState } from '@grove/secure-element/card/card-state'
import { sessionCommands, type SessionCommandKind } from '@grove/secure-element/host/command-kinds'
import { parseFingers } from '@grove/secure-element/host/fingerprint'
import { load } from '@grove/secure-element/host/load'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const issuer = 'A000000151000000'
const loadFile = '494445585F4C5F'
const applet = '494445585F4C5F0101'
const domain = 'A0000001515350FF01'
const domainModule = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }
const { code } = readCapFile(
  makeCap({
    name: 'example.finger',
    aid: loadFile,
    applets: [{ aid: applet, name: 'example.finger.A' }],
  }),
)

interface Session {
  id: string
  cplc: string
  /** Sends a command of a kind, and expects the card to accept it. */
  run: (kind: SessionCommandKind, values?: object) => Promise<string>
  state: () => Promise<CardState>
}

const lastReply = ({ items }: RanCommand) =>
  items.findLast(({ reply }) => reply !== null)?.reply ?? ''

/** A session with a channel to the domain of the issuer of a new card. */
async function session(): Promise<Session> {
  const cplc = await server.card()
  const { id } = await server.open(cplc)
  const made: Session = {
    id,
    cplc,
    async run(kind, values = {}) {
      const { status, body } = await server.command(id, kind, values)
      expect([kind, values, status, body]).toMatchObject([kind, values, 200, { state: 'done' }])
      const reply = lastReply(body)
      expect([kind, values, reply.slice(-4)]).toEqual([kind, values, '9000'])
      return reply.slice(0, -4)
    },
    async state() {
      const { rows } = await sql<{ state: CardState }>`
        select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
      return rows[0]?.state ?? expect.fail('no card')
    },
  }
  await made.run('MplSelect')
  await server.channel(id, '03')
  return made
}

async function loaded(): Promise<Session> {
  const made = await session()
  await made.run('MplInstall', { purpose: 'load', loadFileAid: loadFile })
  for (const block of load({ code, blockSize: 200 }))
    expect((await server.raw(made.id, toHex(encodeCommand(block)))).body.state).toBe('done')
  return made
}

async function installed(more: object = {}): Promise<Session> {
  const made = await loaded()
  const names = { loadFileAid: loadFile, moduleAid: applet, instanceAid: applet }
  await made.run('MplInstall', { purpose: 'install', ...names, ...more })
  return made
}

async function withDomain(): Promise<Session> {
  const made = await installed()
  const names = { ...domainModule, instanceAid: domain }
  await made.run('MplInstall', { purpose: 'install', ...names, privileges: ['securityDomain'] })
  return made
}

/** A card with two fingers, of which the first has a name, and the applet selected. */
async function withFingers(): Promise<Session> {
  const made = await installed()
  const state = await made.state()
  for (const each of state.applications)
    each.data = { finger1: '06', name1: '416E6E', finger2: '06', name2: '' }
  await sql`update maple.software_card set state = ${JSON.stringify(state)}::jsonb, version = version + 1
    where cplc = ${made.cplc}`.execute(server.db)
  await made.run('MplSelect', { aid: applet })
  return made
}

/** A command for the page of the element: it is refused, and the card is as it was. */
async function leaves(kind: SessionCommandKind, values: object, code: string): Promise<void> {
  const made = await session()
  const { exchanges } = await server.read(made.id)
  const { status, body } = await server.command(made.id, kind, values)
  expect([values, status, body.code]).toEqual([values, 409, code])
  expect((await server.read(made.id)).exchanges).toBe(exchanges)
  expect(await made.state()).toMatchObject({ lifeCycle: 0x01, keySets: [{ version: 0x30 }] })
}

const finger = async (made: Session, operation: string, values: object = {}) =>
  made.run('Fingerprint', { operation, ...values })

async function fingersOf(made: Session) {
  const reply = await finger(made, 'list')
  const fingers = reply === '' ? [] : parseFingers(readHex(reply))
  return fingers.map(({ finger: number, name }) => [number, name])
}

const application = async (made: Session, aid = applet) =>
  (await made.state()).applications.find((each) => each.aid === aid)

/** What each operation of each kind leaves on the card. */
const operations: Record<SessionCommandKind, Record<string, () => Promise<void>>> = {
  ManageChannel: {
    async open() {
      const made = await session()
      expect(await made.run('ManageChannel', { action: 'open' })).toBe('01')
      expect(await made.run('ManageChannel', { action: 'open' })).toBe('02')
    },
    async close() {
      const made = await session()
      await made.run('ManageChannel', { action: 'open' })
      await made.run('ManageChannel', { action: 'close', number: 1 })
      expect(await made.run('ManageChannel', { action: 'open' })).toBe('01')
    },
  },
  Fingerprint: {
    async info() {
      const made = await withFingers()
      const reply = readHex(await finger(made, 'info'))
      expect([reply[31], reply[32], reply[39]]).toEqual([2, 6, 1])
    },
    async enrol() {
      const made = await installed()
      await made.run('MplSelect', { aid: applet })
      for (let touch = 0; touch < 6; touch++) await finger(made, 'enrol', { finger: 2 })
      expect(await fingersOf(made)).toEqual([])
      await finger(made, 'enrol', { touch: 'last' })
      expect(await fingersOf(made)).toEqual([[2, '']])
      await finger(made, 'enrol', { finger: 2, touch: 'first' })
      expect(await application(made)).toMatchObject({ data: { finger2: '01' } })
      expect(await fingersOf(made)).toEqual([])
    },
    async cancel() {
      const made = await withFingers()
      await finger(made, 'delete', { finger: 2 })
      await finger(made, 'enrol', { finger: 2 })
      await finger(made, 'cancel')
      expect(await application(made)).toMatchObject({ data: { finger1: '06', name1: '416E6E' } })
      expect((await application(made))?.data['finger2']).toBeUndefined()
    },
    async verify() {
      const made = await withFingers()
      expect(await finger(made, 'verify')).toBe('')
    },
    async list() {
      const made = await withFingers()
      expect(await fingersOf(made)).toEqual([
        [1, 'Ann'],
        [2, ''],
      ])
    },
    async rename() {
      const made = await withFingers()
      await finger(made, 'rename', { finger: 2, name: 'Большой' })
      expect(await fingersOf(made)).toEqual([
        [1, 'Ann'],
        [2, 'Большой'],
      ])
    },
    async delete() {
      const made = await withFingers()
      await finger(made, 'delete', { finger: 1 })
      expect(await fingersOf(made)).toEqual([[2, '']])
    },
    async reset() {
      const made = await withFingers()
      await finger(made, 'reset')
      expect(await fingersOf(made)).toEqual([])
    },
  },
  MplSelect: {
    async ''() {
      const made = await installed()
      expect(await made.run('MplSelect', { aid: applet })).toContain(`8409${applet}`)
      expect(await made.run('MplSelect')).toContain(`8408${issuer}`)
      expect(await made.run('MplSelect', { aid: 'A0000001515350'.slice(0, 10) })).toContain(issuer)
      expect(await made.run('MplSelect', { aid: 'A0000001510000' })).toContain(`8408${issuer}`)
    },
  },
  MplGetData: {
    async ''() {
      const made = await session()
      expect(await made.run('MplGetData', { tag: '9F7F' })).toBe(`9F7F2A${made.cplc}`)
      expect(await made.run('MplGetData', { tag: '9F7F', isInterindustry: true })).toContain(
        made.cplc,
      )
    },
  },
  MplGetStatus: {
    async issuer() {
      const made = await session()
      expect(await made.run('MplGetStatus', { subset: 'issuer' })).toContain(
        `4F08${issuer}9F700101`,
      )
    },
    async applications() {
      const made = await installed()
      expect(await made.run('MplGetStatus', { subset: 'applications' })).toContain(`4F09${applet}`)
    },
    async loadFiles() {
      const made = await loaded()
      const reply = await made.run('MplGetStatus', { subset: 'loadFiles', aid: loadFile })
      expect(reply).toContain(`4F07${loadFile}`)
      expect(reply).not.toContain(applet)
    },
    async loadFilesAndModules() {
      const made = await loaded()
      expect(
        await made.run('MplGetStatus', { subset: 'loadFilesAndModules', aid: loadFile }),
      ).toContain(`8409${applet}`)
    },
  },
  MplInstall: {
    async install() {
      const made = await installed({ isSelectable: false })
      expect(await application(made)).toMatchObject({ lifeCycle: 0x03, loadFileAid: loadFile })
    },
    async load() {
      const made = await loaded()
      expect((await made.state()).loadFiles.map(({ aid }) => aid)).toContain(loadFile)
    },
    async makeSelectable() {
      const made = await installed({ isSelectable: false })
      await made.run('MplInstall', { purpose: 'makeSelectable', instanceAid: applet })
      expect(await application(made)).toMatchObject({ lifeCycle: 0x07 })
    },
    async extradition() {
      const made = await withDomain()
      const names = { instanceAid: applet, securityDomainAid: domain }
      await made.run('MplInstall', { purpose: 'extradition', ...names })
      expect(await application(made)).toMatchObject({ domainAid: domain })
    },
    async personalization() {
      const made = await installed()
      await made.run('MplInstall', { purpose: 'personalization', instanceAid: applet })
      expect(await application(made)).toMatchObject({ lifeCycle: 0x07, domainAid: issuer })
    },
    async registryUpdate() {
      const made = await installed()
      const values = { instanceAid: applet, privileges: ['globalService'] }
      await made.run('MplInstall', { purpose: 'registryUpdate', ...values })
      expect(await application(made)).toMatchObject({ privileges: ['globalService'] })
    },
  },
  MplDelete: {
    async object() {
      const made = await installed()
      await made.run('MplDelete', { target: 'object', aid: applet })
      expect(await application(made)).toBeUndefined()
      await made.run('MplDelete', { target: 'object', aid: loadFile, withRelated: true })
      expect((await made.state()).loadFiles.map(({ aid }) => aid)).not.toContain(loadFile)
    },
    async key() {
      await leaves('MplDelete', { target: 'key', keyVersion: 0x30 }, 'command_reserved')
    },
  },
  MplPutKey: {
    async ''() {
      await leaves('MplPutKey', { keyVersion: 0x30 }, 'keys_need_rotation')
    },
  },
  MplSetStatus: {
    async card() {
      for (const cardState of ['initialized', 'secured', 'cardLocked', 'terminated'])
        await leaves('MplSetStatus', { target: 'card', cardState }, 'command_reserved')
    },
    async lock() {
      const made = await installed()
      await made.run('MplSetStatus', { target: 'lock', aid: applet })
      expect((await application(made))?.lifeCycle).toBe(0x87)
    },
    async unlock() {
      const made = await installed()
      await made.run('MplSetStatus', { target: 'lock', aid: applet })
      await made.run('MplSetStatus', { target: 'unlock', aid: applet })
      expect((await application(made))?.lifeCycle).toBe(0x07)
    },
    async application() {
      const made = await withDomain()
      await made.run('MplSetStatus', { target: 'application', aid: domain, state: 0x0f })
      expect((await application(made, domain))?.lifeCycle).toBe(0x0f)
    },
  },
  MplStoreData: {
    async ''() {
      const made = await session()
      await made.run('MplStoreData', { data: '42031122334503445566' })
      expect((await made.state()).objects).toEqual({ '42': '112233', '45': '445566' })
      await made.run('MplStoreData', { data: '0070064204AABBCCDD', format: 'dgi' })
      expect((await made.state()).objects['42']).toBe('AABBCCDD')
    },
  },
}

/** The operations of a kind: the choices of its first field, if it is a choice. */
function operationsOf(kind: SessionCommandKind): readonly string[] {
  const [first] = Object.values(sessionCommands[kind].fields)
  return first?.type === 'choice' ? first.choices : ['']
}

describe.each(Object.keys(sessionCommands) as SessionCommandKind[])('%s', (kind) => {
  test.each([...operationsOf(kind)])(
    '%s does on the card what its name says',
    async (operation) => {
      await (operations[kind][operation] ?? expect.fail(`${kind} ${operation} is not tried`))()
    },
  )
})

test('there are eight kinds of GlobalPlatform and eight operations of Fingerprint', () => {
  const kinds = Object.keys(sessionCommands)
  expect(kinds.filter((kind) => kind.startsWith('Mpl'))).toHaveLength(8)
  expect(operationsOf('Fingerprint')).toHaveLength(8)
})
