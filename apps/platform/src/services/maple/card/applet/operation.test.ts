import { unzipSync, zipSync } from 'fflate'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type {
  AppletOperation,
  AppletPreflight,
  AppletTarget,
} from '@grove/contract/maple/card/applet-operation'
import type { Exchange } from '@grove/contract/maple/card/session'
import type { CardState } from '@grove/secure-element/card/card-state'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { elementsAtOnce } from './operation-job.ts'
import { capFile, createAppletClient, type AppletClient } from './testing/applet-client.ts'

let server: SessionServer
let applets: AppletClient
beforeAll(async () => {
  server = await startSessionServer()
  applets = createAppletClient(server, server.admin)
  // A card that lost its power once works afterwards.
  await sql`
    create function maple.mend_card() returns trigger language plpgsql as $$
    begin
      update maple.software_card set faults = '{}', version = version + 1 where cplc = new.cplc;
      return null;
    end $$`.execute(server.db)
  await sql`
    create trigger mend_card after update of state on maple.session for each row
    when (new.state = 'failed') execute function maple.mend_card()`.execute(server.db)
})
beforeEach(async () => {
  await sql`truncate maple.applet cascade`.execute(server.db)
})
afterAll(() => server.close())

const packageAid = 'D27600008501'
const instanceAid = 'D2760000850101'

/** A person with a Maple account. */
async function clientOf(role: string): Promise<AppletClient> {
  const id = randomUUID()
  await sql`insert into maple.account (id, roles) values (${id}, ${[role]})`.execute(server.db)
  return createAppletClient(server, await server.bearer(['DEVELOPER'], id))
}

async function start(id: string, body: object, client = applets): Promise<AppletOperation> {
  const response = await client.send('POST', `applets/${id}/operation`, body)
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  return response.json()
}

const readOperation = async (id: string): Promise<AppletOperation> =>
  (await applets.send('GET', `applets/operation?id=${id}`)).json().items[0]

const targetsOf = async (id: string): Promise<AppletTarget[]> =>
  (await applets.send('GET', `applets/operation/${id}/target`)).json().items

async function finished(id: string): Promise<AppletTarget[]> {
  await vi.waitFor(
    async () => expect((await readOperation(id)).state).toMatch(/completed|cancelled|failed/),
    { timeout: 30_000, interval: 50 },
  )
  return targetsOf(id)
}

const run = async (id: string, body: object) => finished((await start(id, body)).id)
const codesOf = ({ findings }: { findings: { code: string; severity: string }[] }) =>
  findings.map(({ code }) => code)

async function stateOf(cplc: string): Promise<CardState> {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.state ?? expect.fail('no card')
}
const onCard = async (cplc: string) => {
  const { loadFiles, applications } = await stateOf(cplc)
  return {
    // Without the package of the card's own domains.
    files: loadFiles
      .filter(({ aid }) => aid.startsWith('D276'))
      .map(({ aid, major, minor }) => `${aid} ${major}.${minor}`),
    instances: applications.map(({ aid }) => aid),
  }
}
const nothing = { files: [], instances: [] }
const installed = { files: [`${packageAid} 1.0`], instances: [instanceAid] }

const preflight = async (id: string, body: object): Promise<AppletPreflight[]> => {
  const response = await applets.send('POST', `applets/${id}/preflight`, body)
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return response.json().items
}
const refusals = (item: AppletPreflight | undefined) =>
  item?.findings.filter(({ severity }) => severity === 'refused').map(({ code }) => code)

test('a pre-flight warns about errors in the package, and refuses what a real card cannot link', async () => {
  const files = unzipSync(capFile())
  const changed = (component: string, change: (bytes: Uint8Array) => void) => {
    const path = `example/ndef/javacard/${component}.cap`
    const bytes = new Uint8Array(files[path] ?? [])
    change(bytes)
    return zipSync({ ...files, [path]: bytes })
  }
  const cplc = await server.card()
  const found = async (file: Uint8Array) => {
    const { id } = (await applets.upload(file)).json<{ id: string }>()
    const [item] = await preflight(id, { kind: 'install', elements: [cplc] })
    return item?.findings.map(({ severity, code }) => `${severity} ${code}`)
  }
  // An invalid opcode in the constructor.
  expect(await found(changed('Method', (bytes) => bytes.fill(0xd0, 6, 7)))).toEqual([
    'warning cap_errors',
  ])
  // A constant of a sixth import, which does not exist. A software card links nothing, so it accepts
  // the package.
  expect(await found(changed('ConstantPool', (bytes) => bytes.fill(0x85, 6, 7)))).toEqual([
    'warning cap_unlinkable',
  ])
  expect(await found(capFile({ minor: 7 }))).toEqual([])
})

test('an applet is installed in one session, shown on its element, and uninstalled', async () => {
  const { id } = await applets.uploaded()
  const cplc = await server.card()
  const [target] = await run(id, { kind: 'install', elements: [cplc] })
  expect(target).toMatchObject({ cplc, state: 'succeeded', step: 'check' })
  expect(target?.sent).toBe(target?.blocks)
  expect(target?.blocks).toBeGreaterThan(5)
  expect(await onCard(cplc)).toEqual(installed)
  const { items } = await server.exchanges(target?.sessionId ?? '')
  const kinds = items.map(({ command }: Exchange) => command?.slice(2, 4))
  expect([kinds.slice(0, 3), kinds.filter((ins) => ins === 'E6').length]).toEqual([
    ['A4', '50', '82'],
    2,
  ])
  expect((await applets.send('GET', `se/applets?cplc=${cplc}`)).json().items).toContainEqual(
    expect.objectContaining({
      packageAid,
      version: '1.0',
      appletId: id,
      name: 'example.ndef',
      instances: [{ aid: instanceAid, moduleAid: instanceAid, state: 'selectable' }],
      sessionId: target?.sessionId,
    }),
  )
  expect((await applets.send('GET', `applets/${id}/impact`)).json().elements.value).toBe(1)

  const [again] = await run(id, { kind: 'install', elements: [cplc] })
  expect(again?.state).toBe('unchanged')
  const [removed] = await run(id, { kind: 'uninstall', elements: [cplc] })
  expect([removed?.state, codesOf(removed ?? expect.fail())]).toEqual(['succeeded', ['data_lost']])
  expect(await onCard(cplc)).toEqual(nothing)
  expect((await applets.send('GET', `applets/${id}/impact`)).json().elements.value).toBe(0)
  const { rows } = await sql<{ action: string }>`
    select action from maple.event where subject = ${cplc} and action like 'element.%install'
    order by id`.execute(server.db)
  expect(rows.map(({ action }) => action)).toEqual(['element.install', 'element.uninstall'])
})

test('privileges over the whole card need the right to its domains, and a confirmation', async () => {
  const { id } = await applets.uploaded()
  const cplc = await server.card()
  const ask = async (by: AppletClient, privilege: string, more: object = {}) => {
    const response = await by.send('POST', `applets/${id}/operation`, {
      kind: 'install',
      elements: [cplc],
      instances: [{ moduleAid: instanceAid, privileges: [privilege] }],
      ...more,
    })
    const { code, errors } = response.json<{ code?: string; errors?: { path: string }[] }>()
    return [response.statusCode, code ?? '', errors?.[0]?.path ?? '']
  }
  const agreed = { grantsCardPrivileges: true }
  const developer = await clientOf('developer')
  for (const privilege of ['cardLock', 'cardTerminate', 'globalDelete', 'finalApplication']) {
    const forbidden = [privilege, 403, 'forbidden', '']
    expect([privilege, ...(await ask(developer, privilege, agreed))]).toEqual(forbidden)
    const unsaid = [privilege, 400, 'invalid_request', 'grantsCardPrivileges']
    expect([privilege, ...(await ask(applets, privilege))]).toEqual(unsaid)
  }
  expect(await onCard(cplc)).toEqual(nothing)

  const instances = [{ moduleAid: instanceAid, privileges: ['cardLock'] }]
  const [target] = await run(id, { kind: 'install', elements: [cplc], instances, ...agreed })
  expect(target?.state).toBe('succeeded')
  expect((await stateOf(cplc)).applications[0]?.privileges).toEqual(['cardLock'])
})

test('people who may not request an operation cannot repeat it', async () => {
  const { id } = await applets.uploaded()
  const cplc = await server.card()
  await server.breakCard(cplc, { wrongStatusWord: { ins: 0xe6, statusWord: 0x6a84 } })
  const instances = [{ moduleAid: instanceAid, privileges: ['cardLock'] }]
  const asked = { kind: 'install', elements: [cplc], instances, grantsCardPrivileges: true }
  const operation = await start(id, asked)
  await finished(operation.id)
  const developer = await clientOf('developer')
  const path = `applets/operation/${operation.id}/retry`
  expect(await developer.refusal('POST', path)).toEqual([403, 'forbidden'])
  expect((await applets.send('POST', path)).statusCode).toBe(200)
})

test.each(['uninstall', 'upgrade'] as const)(
  'an %s deletes no instance that is a security domain, and nothing next to it',
  async (kind) => {
    const { id } = await applets.uploaded()
    const { id: next } = await applets.uploaded({ minor: 1 })
    const cplc = await server.card()
    await run(id, { kind: 'install', elements: [cplc] })
    await sql`
      update maple.software_card set version = version + 1, state =
        jsonb_set(state, '{applications,0,privileges}', '["securityDomain"]')
      where cplc = ${cplc}`.execute(server.db)
    const [target] = await run(next, { kind, elements: [cplc] })
    expect(target?.state).toBe('refused')
    expect(codesOf(target ?? expect.fail())).toContain('is_domain')
    expect(await onCard(cplc)).toEqual(installed)
  },
)

test('an instance gets its AID, privileges and parameters', async () => {
  // A class that the card has no model of, which would read its parameters.
  const moduleAid = 'A00000061799'
  const { id } = await applets.uploaded({ applets: [{ aid: moduleAid, name: 'example.Any' }] })
  const cplc = await server.card()
  const aid = 'A0000006179901'
  const instance = {
    moduleAid,
    instanceAid: aid,
    parameters: 'c0ffee',
    nonVolatile: 512,
    isSelectable: false,
  }
  await run(id, { kind: 'install', elements: [cplc], instances: [instance] })
  const { applications } = await stateOf(cplc)
  expect(applications).toMatchObject([
    { aid, moduleAid, parameters: expect.stringMatching(/^C903C0FFEE/) },
  ])
})

test('an upgrade replaces another version and says whose data will be lost', async () => {
  const [old, next] = [await applets.uploaded(), await applets.uploaded({ minor: 1 })]
  const cplc = await server.card()
  await run(old.id, { kind: 'install', elements: [cplc] })
  const [refused] = await run(next.id, { kind: 'install', elements: [cplc] })
  expect(refused).toMatchObject({
    state: 'refused',
    findings: [{ code: 'other_version', params: { found: '1.0', version: '1.1' } }],
  })
  expect(await onCard(cplc)).toEqual(installed)
  expect((await preflight(next.id, { kind: 'upgrade', elements: [cplc] }))[0]?.findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ code: 'data_lost', params: { aid: instanceAid } }),
    ]),
  )
  const [target] = await run(next.id, { kind: 'upgrade', elements: [cplc] })
  expect([target?.state, codesOf(target ?? expect.fail())]).toEqual([
    'succeeded',
    expect.arrayContaining(['data_lost']),
  ])
  expect(await onCard(cplc)).toEqual({ files: [`${packageAid} 1.1`], instances: [instanceAid] })
})

test('a pre-flight says what each element would refuse, and why', async () => {
  const large = await applets.uploaded({
    size: 9000,
    name: 'example.large',
    aid: 'D27600008502',
    applets: [{ aid: 'D2760000850201', name: 'A' }],
  })
  const imports = [
    { aid: 'A0000000620101', major: 1, minor: 8 },
    { aid: 'A000000062020801', major: 1, minor: 0 },
  ]
  const modern = await applets.uploaded({ imports, size: 1500 })
  const ndef = await applets.uploaded()
  const [small, taken, blocked] = [
    await server.card({ memory: 4096 }),
    await server.card(),
    await server.card(),
  ]
  const clash = await applets.uploaded({ aid: 'D27600008503', size: 1200 })
  await run(clash.id, { kind: 'install', elements: [taken] })
  await sql`update maple.element set state = 'blocked' where cplc = ${blocked}`.execute(server.db)
  const refusedOf = async (id: string, cplc: string) =>
    refusals((await preflight(id, { kind: 'install', elements: [cplc] }))[0])
  expect(await refusedOf(modern.id, small)).toEqual(['import_old', 'import_missing'])
  expect(await refusedOf(ndef.id, taken)).toEqual(['aid_taken'])
  expect(await refusedOf(ndef.id, blocked)).toEqual(['element_blocked'])
  expect(await refusedOf(ndef.id, small)).toEqual([])
  expect(await refusedOf(large.id, small)).toEqual(['memory_short'])
  // What a pre-flight predicts is what happens.
  for (const [id, cplc] of [
    [modern.id, small],
    [ndef.id, taken],
    [ndef.id, blocked],
  ] as const) {
    const before = await onCard(cplc)
    const [target] = await run(id, { kind: 'install', elements: [cplc] })
    expect(target?.state).toBe('refused')
    expect(await onCard(cplc)).toEqual(before)
  }
})

test('an element that is no software card needs a released applet, keys and a reader', async () => {
  const { id } = await applets.uploaded()
  const cplc = `4790D3214700000000004131${'00'.repeat(30)}`
  await sql`insert into maple.element (cplc) values (${cplc}) on conflict do nothing`.execute(
    server.db,
  )
  const [before] = await preflight(id, { kind: 'install', elements: [cplc] })
  expect(refusals(before)).toEqual(['no_keys', 'not_released'])
  await applets.move(id, 'verified')
  await applets.move(id, 'released')
  const [after] = await preflight(id, { kind: 'install', elements: [cplc] })
  expect(codesOf(after ?? expect.fail())).toEqual(['no_keys', 'never_read'])
})

test.each(Array.from({ length: 6 }, (_, index) => index + 1))(
  'a power cut before write %i finally leaves one package and one instance',
  async (powerCutBeforeWrite) => {
    const { id } = await applets.uploaded()
    const cplc = await server.card()
    await server.breakCard(cplc, { powerCutBeforeWrite })
    const [target] = await run(id, { kind: 'install', elements: [cplc] })
    expect(target?.state).toMatch(/succeeded|unchanged/)
    expect(await onCard(cplc)).toEqual(installed)
  },
)

test('an upgrade interrupted by a power cut is finished, wherever it was interrupted @long', async () => {
  const [old, next] = [await applets.uploaded(), await applets.uploaded({ minor: 1 })]
  for (const powerCutBeforeWrite of [2, 3, 4, 5]) {
    const cplc = await server.card()
    await run(old.id, { kind: 'install', elements: [cplc] })
    await server.breakCard(cplc, { powerCutBeforeWrite })
    const [target] = await run(next.id, { kind: 'upgrade', elements: [cplc] })
    expect([powerCutBeforeWrite, target?.state]).toEqual([powerCutBeforeWrite, 'succeeded'])
    expect(await onCard(cplc)).toEqual({ files: [`${packageAid} 1.1`], instances: [instanceAid] })
  }
})

test('a card that refuses is explained in words, and nothing is loaded', async () => {
  const { id } = await applets.uploaded()
  const cplc = await server.card()
  await server.breakCard(cplc, { wrongStatusWord: { ins: 0xe8, statusWord: 0x6a84 } })
  const [target] = await run(id, { kind: 'install', elements: [cplc] })
  expect(target).toMatchObject({
    state: 'failed',
    findings: expect.arrayContaining([
      expect.objectContaining({
        code: 'card_refused',
        params: { step: 'load', status: '6A84', name: 'noSpace' },
      }),
    ]),
  })
  expect(await onCard(cplc)).toEqual(nothing)
})

test('keys that do not match are tried once, and the element is blocked', async () => {
  const { id } = await applets.uploaded()
  const cplc = await server.card()
  const { keySets } = await stateOf(cplc)
  for (const { keys } of keySets) for (const key of keys) key.value = 'FF'.repeat(16)
  await sql`
    update maple.software_card set state = jsonb_set(state, '{keySets}', ${JSON.stringify(keySets)}::jsonb),
      version = version + 1
    where cplc = ${cplc}`.execute(server.db)
  const [target] = await run(id, { kind: 'install', elements: [cplc] })
  expect([target?.state, codesOf(target ?? expect.fail())]).toEqual(['failed', ['wrong_keys']])
  expect(target?.findings[0]).toMatchObject({
    params: { finding: 'unknown', version: '48', protocol: 'SCP03' },
    message: expect.stringContaining('No keys that Grove knows fit the card.') as string,
  })
  const { items } = await server.exchanges(target?.sessionId ?? '')
  expect(items.map(({ command }: Exchange) => command?.slice(2, 4))).toEqual(['A4', '50'])
  const [again] = await run(id, { kind: 'install', elements: [cplc] })
  expect([again?.state, codesOf(again ?? expect.fail())]).toEqual(['refused', ['element_blocked']])
})

test('a few elements have a session at a time; a cancelled operation ends after them, and continues @long', async () => {
  const { id } = await applets.uploaded()
  const cplcs: string[] = []
  for (let count = 0; count < elementsAtOnce + 2; count++) cplcs.push(await server.card())
  for (const cplc of cplcs) await server.breakCard(cplc, { delay: 30 })
  const operation = await start(id, { kind: 'install', elements: cplcs })
  const running = async () =>
    (await targetsOf(operation.id)).filter(({ state }) => state === 'running').length
  await vi.waitFor(async () => expect(await running()).toBe(elementsAtOnce), {
    timeout: 20_000,
    interval: 5,
  })
  await applets.send('POST', `applets/operation/${operation.id}/cancel`)
  const states = (await finished(operation.id)).map(({ state }) => state)
  expect(states.toSorted()).toEqual([
    'cancelled',
    'cancelled',
    ...cplcs.slice(2).map(() => 'succeeded'),
  ])
  expect(await readOperation(operation.id)).toMatchObject({
    state: 'cancelled',
    rights: { cancel: 'job_finished', retry: null },
  })
  await applets.send('POST', `applets/operation/${operation.id}/retry`)
  expect((await finished(operation.id)).map(({ state }) => state)).toEqual(
    cplcs.map(() => 'succeeded'),
  )
  expect(await readOperation(operation.id)).toMatchObject({
    state: 'completed',
    succeeded: cplcs.length,
  })
})

test('another service provider’s elements and operations do not exist', async () => {
  const name = `acme-${randomUUID().slice(0, 8)}`
  const theirs = await server.card({}, name)
  const ours = await server.card({}, 'others')
  const account = randomUUID()
  await sql`
    insert into maple.account (id, roles, service_id)
    values (${account}, array['provider_admin'], ${name})`.execute(server.db)
  const acme = createAppletClient(server, await server.bearer(['DEVELOPER'], account))
  const { id } = await acme.uploaded()
  for (const path of [`applets/${id}/preflight`, `applets/${id}/operation`])
    expect(await acme.refusal('POST', path, { kind: 'install', elements: [ours] })).toEqual([
      404,
      'not_found',
    ])
  expect(await acme.refusal('GET', `se/applets?cplc=${ours}`)).toEqual([404, 'not_found'])
  const operation = await start(id, { kind: 'install', elements: [theirs] }, acme)
  await finished(operation.id)
  expect(await onCard(theirs)).toEqual(installed)
  const other = await start((await applets.uploaded({ size: 1800 })).id, {
    kind: 'read',
    elements: [ours],
  })
  await finished(other.id)
  expect(await acme.refusal('GET', `applets/operation/${other.id}/target`)).toEqual([
    404,
    'not_found',
  ])
  expect(await acme.refusal('POST', `applets/operation/${other.id}/retry`)).toEqual([
    404,
    'not_found',
  ])
  expect((await acme.send('GET', 'applets/operation')).json().items).toHaveLength(1)
})

test('a revoked applet can only be uninstalled @long', async () => {
  const { id } = await applets.released()
  const cplc = await server.card()
  await run(id, { kind: 'install', elements: [cplc] })
  await applets.move(id, 'revoked')
  expect(
    await applets.refusal('POST', `applets/${id}/operation`, { kind: 'upgrade', elements: [cplc] }),
  ).toEqual([409, 'applet_revoked'])
  const [target] = await run(id, { kind: 'uninstall', elements: [cplc] })
  expect(target?.state).toBe('succeeded')
})
