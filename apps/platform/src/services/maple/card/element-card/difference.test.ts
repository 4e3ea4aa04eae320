import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { createAppletClient, type AppletClient } from '../applet/testing/applet-client.ts'
import {
  addDomain,
  applicationOf,
  changeElsewhere,
  domain,
} from '../session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { noDifference } from './difference.rules.ts'

let server: SessionServer
let applets: AppletClient
/** The sample applet. */
let sampleId = ''
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
  applets = createAppletClient(server, server.admin)
  sampleId = (await applets.released()).id
})
afterAll(() => server.close())

const call = (method: 'GET' | 'POST', url: string, payload?: object, headers = server.admin) =>
  server.app.inject({
    method,
    url: `/api/maple/se/${url}`,
    headers,
    ...(payload && { payload }),
  })
const read = async (cplc: string) =>
  expect((await call('POST', 'card/read', { cplc })).statusCode).toBe(200)
const list = async (query: string, headers = server.admin) =>
  (await call('GET', `element?${query}`, undefined, headers)).json<{
    items: SecureElement[]
    count?: { value: number }
  }>()
const differenceOf = async (cplc: string) => (await list(`cplc=${cplc}`)).items[0]?.difference

test('a card that was changed elsewhere is marked until someone has looked at it', async () => {
  const [cplc, same] = [await server.card({}, 'acme'), await server.card({}, 'acme')]
  for (const each of [cplc, same]) await read(each)
  // Without earlier records nothing can differ.
  expect(await differenceOf(cplc)).toBeNull()
  await addDomain(server, cplc)
  for (const each of [cplc, same]) await read(each)
  const difference = {
    at: expect.any(String),
    sessionId: expect.any(String),
    ...noDifference(),
    domains: { added: [domain], changed: [], removed: [] },
  }
  expect(await differenceOf(cplc)).toEqual(difference)
  expect(await differenceOf(same)).toBeNull()
  // The next reading finds nothing new, and does not hide the earlier finding.
  await read(cplc)
  expect(await differenceOf(cplc)).toEqual(difference)

  const found = async (query = '', headers = server.admin) =>
    (await list(`reading=differs${query}`, headers)).items.map((each) => each.cplc)
  expect(await found()).toEqual([cplc])
  expect((await list('reading=differs&count=true')).count).toEqual({ value: 1, isCapped: false })
  expect(await found(`&q=${cplc.slice(0, 12)}&sort=updatedAt`)).toEqual([cplc])
  expect(await found(`&q=${same}`)).toEqual([])
  expect(await found('&state=terminated')).toEqual([])
  const other = await server.member('other')
  expect(await found('', other)).toEqual([])
  expect((await call('POST', 'card/difference', { cplc }, other)).statusCode).toBe(404)

  for (let count = 0; count < 2; count++)
    expect((await call('POST', 'card/difference', { cplc })).statusCode).toBe(204)
  expect([await found(), await differenceOf(cplc)]).toEqual([[], null])
  const { rows } = await sql`
    select from maple.event where subject = ${cplc} and action = 'element.review'`.execute(
    server.db,
  )
  expect(rows).toHaveLength(1)
})

test('changes by Grove or by people in a session do not count', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  await read(cplc)
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  await server.command(id, 'MplInstall', {
    purpose: 'install',
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    instanceAid: domain,
    privileges: ['securityDomain'],
  })
  // Afterwards the card is read.
  await server.command(id, 'MplSetStatus', { target: 'lock', aid: domain })
  const { items } = (await call('GET', `domains?cplc=${cplc}`)).json<{ items: { aid: string }[] }>()
  expect(items.map(({ aid }) => aid)).toContain(domain)
  await server.ask('POST', `/${id}/end`)
  expect(await differenceOf(cplc)).toBeNull()
})

const look = async (cplc: string) => {
  const found = await differenceOf(cplc)
  expect((await call('POST', 'card/difference', { cplc })).statusCode).toBe(204)
  return found
}

test('only a difference that someone has looked at is cleared', async () => {
  const cplc = await server.card({}, 'acme')
  await read(cplc)
  await addDomain(server, cplc)
  await read(cplc)
  const { at = '' } = (await differenceOf(cplc)) ?? {}
  const say = async (body: object, headers = server.admin) =>
    (await call('POST', 'card/difference', { cplc, ...body }, headers)).statusCode
  expect(await say({ at }, await server.member('acme', ['viewer']))).toBe(403)
  expect(await say({ at }, await server.member('umbra'))).toBe(404)
  expect(await differenceOf(cplc)).not.toBeNull()
  // Someone acknowledged it, and then the card was changed again.
  expect(await say({ at })).toBe(204)
  await changeElsewhere(server, cplc, (state) => {
    state.applications = []
  })
  await read(cplc)
  const response = await call('POST', 'card/difference', { cplc, at })
  expect(response.json<{ code: string }>().code).toBe('difference_changed')
  const later = await differenceOf(cplc)
  expect(later?.domains.removed).toEqual([domain])
  expect(await say({ at: later?.at })).toBe(204)
  expect(await differenceOf(cplc)).toBeNull()
  expect(await say({ at })).toBe(204)
})

const file = { aid: 'F000000101', modules: ['F00000010101'] }
const applet = 'F0000001010101'

/** Loads a package on a card and creates an instance of it, like another host. */
const installElsewhere = (cplc: string) =>
  changeElsewhere(server, cplc, (state) => {
    state.loadFiles.push({
      ...file,
      major: 1,
      minor: 0,
      size: 100,
      isFactory: false,
      domainAid: state.issuerAid,
      imports: [],
    })
    state.applications.push(
      applicationOf(state, {
        aid: applet,
        loadFileAid: file.aid,
        moduleAid: file.modules[0] ?? '',
      }),
    )
  })
const setLifeCycle = (cplc: string, lifeCycle: number) =>
  changeElsewhere(server, cplc, ({ applications }) => {
    const found = applications.find(({ aid }) => aid === applet)
    if (found) found.lifeCycle = lifeCycle
  })

test('an applet and its package that were installed, locked or deleted elsewhere are found', async () => {
  const cplc = await server.card({})
  await read(cplc)
  await installElsewhere(cplc)
  await read(cplc)
  const added = { added: [applet], changed: [], removed: [] }
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    applications: added,
    loadFiles: { added: [file.aid], changed: [], removed: [] },
  })
  // A state that the application sets itself.
  await setLifeCycle(cplc, 0x1f)
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
  await setLifeCycle(cplc, 0x9f)
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    applications: { added: [], changed: [applet], removed: [] },
  })
  await changeElsewhere(server, cplc, (state) => {
    state.applications = state.applications.filter(({ aid }) => aid !== applet)
  })
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    applications: { added: [], changed: [], removed: [applet] },
  })
})

const packageAid = 'D27600008501'

/** Installs, upgrades, uninstalls or reads the sample applet, and waits for the end. */
async function operate(cplc: string, kind: string) {
  const body = { kind, elements: [cplc] }
  const response = await applets.send('POST', `applets/${sampleId}/operation`, body)
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  const { id } = response.json<{ id: string }>()
  return vi.waitFor(async () => {
    const { items } = (await applets.send('GET', `applets/operation/${id}/target`)).json<{
      items: { state: string }[]
    }>()
    expect(items[0]?.state).toMatch(/succeeded|unchanged|refused|failed|unknown/)
    return items[0]?.state
  }, 10_000)
}

test('Grove’s own installations are no difference, and hide none by others', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  // This card's contents were never read: even its own are new to Grove.
  await installElsewhere(cplc)
  expect(await operate(cplc, 'install')).toBe('succeeded')
  expect(await differenceOf(cplc)).toBeNull()
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
  await changeElsewhere(server, cplc, (state) => {
    state.applications = state.applications.filter(({ aid }) => aid !== applet)
  })
  expect(await operate(cplc, 'uninstall')).toBe('succeeded')
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    applications: { added: [], changed: [], removed: [applet] },
  })
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
})

test('an installation interrupted after its commands does not count', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  await read(cplc)
  const kept = async () =>
    (
      await sql<{ contents: object; at: string }>`
        select contents, read_at::text as at from maple.card_reading where cplc = ${cplc}
      `.execute(server.db)
    ).rows[0]
  const before = await kept()
  expect(await operate(cplc, 'install')).toBe('succeeded')
  // As if the process had ended before it stored the card's contents.
  await sql`update maple.card_reading set contents = ${JSON.stringify(before?.contents)}::jsonb,
    read_at = ${before?.at}::timestamptz where cplc = ${cplc}`.execute(server.db)
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
  expect(JSON.stringify(await kept())).toContain(packageAid)
})

test('commands in a session without a reading afterwards do not count', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  await read(cplc)
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  await server.command(id, 'MplInstall', {
    purpose: 'install',
    loadFileAid: 'A0000001515350',
    moduleAid: 'A000000151535041',
    instanceAid: domain,
    privileges: ['securityDomain'],
  })
  await server.ask('POST', `/${id}/end`)
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
})

const putElsewhere = (cplc: string, version: number, aid?: string) =>
  changeElsewhere(server, cplc, (state) => {
    const own = aid ? state.applications.find((each) => each.aid === aid)?.domain : state
    const value = '404142434445464748494A4B4C4D4E4F'
    const keys = [1, 2, 3].map((keyId) => ({ id: keyId, algorithm: 'AES' as const, value }))
    own?.keySets.push({ version, keys, counter: 0, failures: 0 })
  })
const keys = async (body: object, path = 'keys/rotation') => {
  const response = await call('POST', path, body)
  expect([response.body, response.statusCode]).toEqual([response.body, 201])
}
const settled = (cplc: string) =>
  vi.waitFor(async () => {
    const answer = (await call('GET', `keys?cplc=${cplc}`)).json<{
      rotation: { step: string } | null
    }>()
    expect(answer.rotation?.step).toBe('committed')
  }, 10_000)

test('key versions that were put or deleted elsewhere are found, unlike Grove’s own', async () => {
  const cplc = await server.card({})
  await putElsewhere(cplc, 0x41)
  await read(cplc)
  // Grove never knew these, and nobody had read them before.
  expect(await differenceOf(cplc)).toBeNull()
  await putElsewhere(cplc, 0x42)
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    keys: [{ domain: null, added: [0x42], changed: [], removed: [] }],
  })
  await changeElsewhere(server, cplc, (state) => {
    state.keySets = state.keySets.filter(({ version }) => version !== 0x41)
  })
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    keys: [{ domain: null, added: [], changed: [], removed: [0x41] }],
  })
  // Another length with the same version.
  await keys({ cplc, version: 0x30, target: { kind: 'random', keyLength: 32 } })
  await settled(cplc)
  await keys({ cplc, purpose: 'token', kind: 'AES' }, 'keys/purpose')
  await vi.waitFor(async () => {
    const { items } = (await call('GET', `keys/purpose?cplc=${cplc}`)).json<{
      items: { state: string }[]
    }>()
    expect(items[0]?.state).toBe('active')
  }, 10_000)
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
})

test('so are those of a domain that Grove gave keys before anyone read it @long', async () => {
  const cplc = await server.card({})
  await addDomain(server, cplc)
  await read(cplc)
  await keys({ cplc, domain })
  await settled(cplc)
  // They made the domain PERSONALIZED.
  await changeElsewhere(server, cplc, ({ applications }) => {
    for (const each of applications) if (each.aid === domain) each.lifeCycle = 0x0f
  })
  await read(cplc)
  expect(await differenceOf(cplc)).toBeNull()
  const { reading } = (await call('GET', `card/reading?cplc=${cplc}`)).json<{
    reading: { domainKeys: { domainAid: string; keys: { version: number }[] }[] }
  }>()
  expect(reading.domainKeys).toMatchObject([
    { domainAid: domain, keys: [{ version: 0x30 }, { version: 0x30 }, { version: 0x30 }] },
  ])
  await changeElsewhere(server, cplc, ({ applications }) => {
    for (const each of applications) if (each.domain) each.domain.keySets = []
  })
  await putElsewhere(cplc, 0x44, domain)
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    keys: [{ domain, added: [0x44], changed: [], removed: [0x30] }],
  })
})

test('keys from Grove that the card no longer has are found without a reading in between', async () => {
  const cplc = await server.card({})
  await addDomain(server, cplc)
  await read(cplc)
  await keys({ cplc, domain })
  await settled(cplc)
  await changeElsewhere(server, cplc, ({ applications }) => {
    for (const each of applications) if (each.domain) each.domain.keySets = []
  })
  await read(cplc)
  expect(await look(cplc)).toMatchObject({
    ...noDifference(),
    keys: [{ domain, added: [], changed: [], removed: [0x30] }],
  })
})

test('SCP11 keys, of which Grove has none, are no difference', async () => {
  const made = await server.app.inject({
    method: 'POST',
    url: '/api/maple/software_cards',
    headers: server.admin,
    payload: { name: 'A card of SCP11', kind: 'scp11' },
  })
  const { id } = made.json<{ id: string }>()
  for (let count = 0; count < 2; count++) await read(id)
  expect(await differenceOf(id)).toBeNull()
})
