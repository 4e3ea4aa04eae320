import { unzipSync, zipSync } from 'fflate'
import { sql } from 'kysely'
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Applet, CapVerified } from '@grove/contract/maple/card/applet'
import { appletSorting } from '@grove/contract/maple/card/applet.rules'
import { richArchive, richCap } from '@grove/secure-element/testing/rich-cap'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'
import { capFile, createAppletClient, type AppletClient } from './testing/applet-client.ts'

let server: TestServer
let applets: AppletClient
let list: ReturnType<typeof resourceClient<Applet>>
beforeAll(async () => {
  server = await startTestServer([maple])
  const headers = await server.bearer(['ADMIN'])
  applets = createAppletClient(server, headers)
  list = resourceClient<Applet>(server, '/api/maple/applets', headers)
})
beforeEach(async () => {
  await sql`truncate maple.service, maple.account, maple.applet, maple.element cascade`.execute(
    server.platform.db,
  )
})
afterAll(() => server.close())

/** The applets of an account of a service provider. */
async function ofProvider(serviceId: string, roles = ['provider_admin']) {
  await sql`
    insert into maple.service (id, name, name_key) values (${serviceId}, ${serviceId}, ${serviceId})
    on conflict do nothing`.execute(server.platform.db)
  const id = randomUUID()
  await sql`insert into maple.account (id, roles, service_id) values (${id}, ${roles}, ${serviceId})`.execute(
    server.platform.db,
  )
  return createAppletClient(server, await server.bearer(['DEVELOPER'], id))
}

const codeOf = (response: { json: () => { code: string } }) => response.json().code

test('an uploaded file is described by its contents, and downloaded unchanged', async () => {
  const file = capFile()
  const response = await applets.upload(file, 'Кошелёк.cap')
  expect(response.statusCode).toBe(201)
  const applet = response.json<Applet>()
  expect(applet).toMatchObject({
    state: 'uploaded',
    name: 'example.ndef',
    packageAid: 'D27600008501',
    version: '1.0',
    applets: [{ aid: 'D2760000850101', name: 'example.ndef.NdefApplet' }],
    imports: [
      { aid: 'A0000000620101', major: 1, minor: 2 },
      { aid: 'A0000000620001', major: 1, minor: 0 },
    ],
    javaCard: '2.2.1',
    loadSize: 2048,
    fileName: 'Кошелёк.cap',
    bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    rights: {
      verify: null,
      release: 'transition_refused',
      revoke: 'transition_refused',
      install: null,
    },
  })
  const download = await applets.send('GET', `applets/${applet.id}/file`)
  expect(Buffer.compare(download.rawPayload, file)).toBe(0)
  expect(download.headers['content-disposition']).toContain(
    `filename*=UTF-8''${encodeURIComponent('Кошелёк.cap')}`,
  )
  expect((await list.eventsOf(applet.id)).map(({ action }) => action)).toEqual(['applet.upload'])
})

test('a file that is not a whole CAP file is refused with what is wrong and where', async () => {
  const files = unzipSync(capFile())
  const without = Object.fromEntries(
    Object.entries(files).filter(([name]) => !name.includes('Class')),
  )
  const cases = [
    [Buffer.from('not a zip'), 'notZip', 'The file is not a ZIP archive.'],
    [zipSync(without), 'missingComponent', 'A component is missing: Class.'],
    [capFile().subarray(0, 500), 'notZip', 'The file is not a ZIP archive.'],
  ] as const
  for (const [file, code, message] of cases) {
    const response = await applets.upload(file)
    expect([response.statusCode, response.json().code]).toEqual([422, 'applet_unreadable'])
    expect(response.json().errors).toMatchObject([{ path: 'file', code, message }])
  }
  const large = await applets.upload(Buffer.alloc(4 * 1024 * 1024 + 1))
  expect([large.statusCode, codeOf(large)]).toEqual([413, 'file_too_large'])
  expect(await list.list()).toMatchObject({ items: [] })
})

test('a package is verified on a software card, released and revoked, each with an event', async () => {
  const { id } = await applets.uploaded()
  expect(codeOf(await applets.move(id, 'released'))).toBe('transition_refused')
  for (const state of ['verified', 'released', 'revoked'])
    expect((await applets.move(id, state)).json()).toMatchObject({ state })
  expect(codeOf(await applets.move(id, 'released'))).toBe('transition_refused')
  expect((await list.eventsOf(id)).map(({ action }) => action)).toEqual([
    'applet.upload',
    'applet.verify',
    'applet.release',
    'applet.revoke',
  ])
})

test('a package that a card refuses is not verified, and the reason is given', async () => {
  // On most cards the issuer domain has this AID.
  const { id } = await applets.uploaded({ aid: 'A000000151000000' })
  const response = await applets.move(id, 'verified')
  expect([response.statusCode, codeOf(response)]).toEqual([409, 'applet_refused'])
  expect(response.json().detail).toContain('refused')
  expect((await applets.send('GET', `applets/${id}`)).json()).toMatchObject({ state: 'uploaded' })
})

test('a change at an old revision is refused', async () => {
  const { id } = await applets.uploaded()
  await applets.move(id, 'verified', { 'if-match': '"1"' })
  expect(codeOf(await applets.move(id, 'released', { 'if-match': '"1"' }))).toBe('edit_conflict')
  expect(
    await applets.refusal('DELETE', `applets/${id}`, undefined, { 'if-match': '"1"' }),
  ).toEqual([409, 'edit_conflict'])
})

test('one file is uploaded once, and again after it was revoked', async () => {
  const { id } = await applets.released()
  const again = await applets.upload(capFile())
  expect([again.statusCode, codeOf(again)]).toEqual([409, 'already_exists'])
  await applets.move(id, 'revoked')
  expect((await applets.upload(capFile())).statusCode).toBe(201)
})

test('two uploads of one version: one of them can be released', async () => {
  await applets.released()
  const other = await applets.uploaded({ size: 3000 })
  await applets.move(other.id, 'verified')
  const response = await applets.move(other.id, 'released')
  expect([response.statusCode, codeOf(response)]).toEqual([409, 'version_taken'])
})

test('an applet that is on elements cannot be deleted, and its file goes with its last row', async () => {
  const { id, sha256 } = await applets.uploaded()
  const cplc = `4790D3214700000000004130${'00'.repeat(30)}`
  const { db } = server.platform
  await sql`insert into maple.element (cplc) values (${cplc})`.execute(db)
  await sql`insert into maple.card_reading (cplc, free_memory) values (${cplc}, 4096)`.execute(db)
  await sql`
    insert into maple.installed_applet (cplc, package_aid, version, applet_id)
    values (${cplc}, 'D27600008501', '1.0', ${id})`.execute(db)
  expect((await applets.send('GET', `applets/${id}/impact`)).json()).toEqual({
    elements: { value: 1, isCapped: false },
  })
  expect((await applets.send('GET', `applets/${id}/installed`)).json().items).toMatchObject([
    { cplc, version: '1.0', name: 'example.ndef', device: null },
  ])
  expect((await applets.send('GET', `se/applets?cplc=${cplc}`)).json()).toMatchObject({
    items: [{ packageAid: 'D27600008501', appletId: id, loadSize: 2048 }],
    freeMemory: 4096,
  })
  expect(await applets.refusal('DELETE', `applets/${id}`)).toEqual([409, 'applet_in_use'])
  await sql`delete from maple.installed_applet`.execute(db)
  // Another provider has the same bytes.
  const acme = await ofProvider('acme')
  const same = await acme.uploaded()
  expect((await applets.send('DELETE', `applets/${id}`)).statusCode).toBe(204)
  expect(await server.platform.objects.size(sha256)).toBeGreaterThan(0)
  expect((await acme.send('DELETE', `applets/${same.id}`)).statusCode).toBe(204)
  expect(await server.platform.objects.size(sha256)).toBeUndefined()
})

test('a service provider sees its own applets, and another’s do not exist', async () => {
  const [acme, other] = [await ofProvider('acme'), await ofProvider('other')]
  const { id, serviceId } = await acme.uploaded()
  expect(serviceId).toBe('acme')
  expect((await other.send('GET', 'applets')).json().items).toEqual([])
  for (const path of [
    `applets/${id}`,
    `applets/${id}/file`,
    `applets/${id}/impact`,
    `applets/${id}/installed`,
  ])
    expect(await other.refusal('GET', path)).toEqual([404, 'not_found'])
  expect(await other.refusal('POST', `applets/${id}/state`, { state: 'verified' })).toEqual([
    404,
    'not_found',
  ])
  expect(await other.refusal('DELETE', `applets/${id}`)).toEqual([404, 'not_found'])
  expect((await acme.send('GET', 'applets')).json().items).toMatchObject([{ id }])
  expect((await list.list()).ids).toEqual([id])
  // Refusing must not reveal another provider's copy of the same file.
  expect((await other.upload(capFile())).statusCode).toBe(201)
})

test('people who may only read applets cannot change them', async () => {
  const { id } = await (await ofProvider('acme')).uploaded()
  const auditor = await ofProvider('acme', ['auditor'])
  expect((await auditor.send('GET', `applets/${id}`)).statusCode).toBe(200)
  expect((await auditor.upload(capFile({ size: 3000 }))).statusCode).toBe(403)
  expect(await auditor.refusal('DELETE', `applets/${id}`)).toEqual([403, 'forbidden'])
})

test.each(appletSorting.by)(
  'pages by %s contain every applet once, in both directions',
  async (sort) => {
    for (const name of ['b', 'd', 'a', 'c']) await applets.uploaded({ name: `example.${name}` })
    const { items, ids } = await list.list({ sort, order: 'asc' })
    if (sort === 'name')
      expect(items.map(({ name }) => name)).toEqual(
        ['a', 'b', 'c', 'd'].map((end) => `example.${end}`),
      )
    expect(await list.walk({ sort, order: 'asc', limit: '3' })).toEqual(ids)
    expect(await list.walk({ sort, order: 'desc', limit: '1' })).toEqual(ids.toReversed())
  },
)

test('a list finds by the beginning of a name or an AID, by package and by state', async () => {
  const wallet = await applets.uploaded({ name: 'com.acme.wallet', aid: 'A00000061701' })
  const newer = await applets.uploaded({ name: 'com.acme.wallet', aid: 'A00000061701', minor: 1 })
  const ndef = await applets.uploaded()
  await applets.move(ndef.id, 'verified')
  const found = async (query: Record<string, string>) => (await list.list(query)).ids.toSorted()
  const both = [wallet.id, newer.id].toSorted()
  expect(await found({ q: 'COM.acme' })).toEqual(both)
  expect(await found({ q: 'a0 00 00 06 17' })).toEqual(both)
  expect(await found({ package: 'a00000061701' })).toEqual(both)
  expect(await found({ state: 'verified' })).toEqual([ndef.id])
  expect(await found({ id: newer.id })).toEqual([newer.id])
  expect(await found({ q: '%' })).toEqual([])
})

const verificationOf = async (id: string): Promise<CapVerified> =>
  (await applets.send('GET', `applets/${id}/verification`)).json()

test('a file is verified, and a jump out of its method is found with its place', async () => {
  const { id } = await applets.uploaded()
  expect(await verificationOf(id)).toEqual({
    findings: [],
    isTruncated: false,
    methods: 3,
    instructions: 9,
    hasDescriptor: false,
    former: null,
  })
  const rich = richCap('2.2')
  const at = (rich.places.get('process')?.offset ?? 0) + 2 + 8
  rich.contents['Method']?.splice(at, 1, 0x7f)
  const uploaded = (await applets.upload(richArchive(rich))).json<Applet>()
  const { findings, hasDescriptor } = await verificationOf(uploaded.id)
  expect(hasDescriptor).toBe(true)
  expect(findings).toEqual([
    expect.objectContaining({
      code: 'branch',
      severity: 'error',
      component: 'Method',
      stopsLoading: false,
      offset: at - 1,
      method: { number: 6, offset: at - 10, block: null, classOffset: 31, classToken: 2, token: 7 },
    }),
  ])
})

test('a later minor version that lacks exports of the previous one says which', async () => {
  const before = (await applets.upload(richArchive(richCap('2.1')))).json<Applet>()
  const later = richCap('2.1')
  later.contents['Header']?.splice(7, 1, 3)
  later.contents['Export'] = [1, 0, 0, 0, 0]
  later.contents['Directory']?.splice(19, 1, 5)
  const { id } = (await applets.upload(richArchive(later))).json<Applet>()
  expect((await verificationOf(id)).former).toMatchObject({
    id: before.id,
    version: '1.0',
    breaks: [{ code: 'class', classToken: 1, token: null }],
  })
  expect((await verificationOf(before.id)).former).toBeNull()
})

test('another service provider has nothing to verify', async () => {
  const { id } = await applets.uploaded()
  const stranger = await ofProvider('elsewhere')
  expect(await stranger.refusal('GET', `applets/${id}/verification`)).toEqual([404, 'not_found'])
})
