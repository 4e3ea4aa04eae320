import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ElementSession } from '@grove/contract/maple/card/session'
import type { Problem } from '@grove/contract/shapes'
import type { Script, ScriptRun } from '@grove/contract/maple/program/script'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { readHex } from '@grove/secure-element/bytes'
import type { CardState } from '@grove/secure-element/card/card-state'
import { setCardState } from '@grove/secure-element/host/commands'
import { processActor } from '../../../../core/actor.ts'
import { openSession } from './open-session.ts'
import { startSessionServer, type SessionServer } from './testing/session-server.ts'

let server: SessionServer
beforeAll(async () => {
  server = await startSessionServer()
})
afterAll(() => server.close())

const issuer = 'A000000151000000'

/** What a session must not send, in all forms that someone could try. */
const reserved = [
  '80F080FF',
  '84F080FF',
  '00F080FF',
  `80F080FF08${issuer}`,
  `80F080FF000008${issuer}`,
  '80F080FF0011',
  `80F040FF08${issuer}`,
  '80F0807F',
  '80F0807F00',
  '80F0800F',
  '80F08007',
  '80E4000003D20130',
  '90E4000003D20130',
  '80E4000003D00101',
  '80D8008108AABBCCDDEEFF0011',
  '84D8008108AABBCCDDEEFF0011',
  '84E2880010AABBCCDDEEFF0011AABBCCDDEEFF0011',
  '80E288001C8F0119'.padEnd(66, '0'),
  '84820300100011223344556677AABBCCDDEEFF0011',
  '00FE0000',
  '00C2000004 80F080FF',
  '80AA000001FF',
]

/** The same on a logical channel. */
const onLogicalChannel = (command: string, number: number) =>
  (Number.parseInt(command.slice(0, 2), 16) | number).toString(16).padStart(2, '0') +
  command.slice(2)
/** On the basic channel, on one that is open with a secure channel, and on one that is not open. */
const reservedAnywhere = [0, 1, 3].flatMap((number) =>
  reserved.map((command) => onLogicalChannel(command, number)),
)

const stateOf = async (cplc: string): Promise<CardState> => {
  const { rows } = await sql<{ state: CardState }>`
    select state from maple.software_card where cplc = ${cplc}`.execute(server.db)
  return rows[0]?.state ?? expect.fail('no card')
}
const left = async (cplc: string) => {
  const { lifeCycle, keySets } = await stateOf(cplc)
  return {
    lifeCycle,
    keys: keySets.map(({ version, keys, failures }) => [version, keys.length, failures]),
  }
}
const untouched = { lifeCycle: 0x0f, keys: [[0x30, 3, 0]] }

const ask = async <Body>(
  method: 'GET' | 'POST',
  url: string,
  payload?: object,
  headers: { authorization: string } = server.admin,
): Promise<Body & Problem> =>
  (
    await server.app.inject({
      method,
      url: `/api/maple/${url}`,
      headers,
      ...(payload && { payload }),
    })
  ).json()

test.each(['ADMIN', 'security_officer', 'operator', 'developer'])(
  'no bytes of a person with the role %s terminate, lock or rekey a card, in a channel or outside it',
  async (role) => {
    const cplc = await server.card({ lifeCycle: 0x0f }, 'acme')
    const headers = role === 'ADMIN' ? server.admin : await server.member('acme', [role])
    const { id } = await server.open(cplc, headers)
    const send = (path: string, body: object) =>
      server.ask<{ state?: string; problem?: { code: string } | null }>(
        'POST',
        `/${id}/${path}`,
        body,
        headers,
      )
    await send('command', { kind: 'MplSelect' })
    await send('channel', { level: '03' })
    if (role === 'ADMIN') {
      // The others cannot send bytes at all.
      expect((await send('raw', { command: '0070000001' })).body.state).toBe('done')
      expect((await send('channel', { level: '03', logicalChannel: 1 })).body.state).toBe('done')
    }
    const before = (await server.exchanges(id)).items.length
    for (const isPlain of [false, true])
      for (const command of reservedAnywhere) {
        const { status, body } = await send('raw', { command, isPlain })
        const code = status === 200 ? body.problem?.code : body.code
        expect([command, code]).toEqual([
          command,
          expect.stringMatching(/^(command_reserved|keys_need_rotation|forbidden)$/),
        ])
      }
    for (const values of [
      { target: 'card', cardState: 'terminated' },
      { target: 'card', cardState: 'cardLocked' },
    ])
      for (const logicalChannel of [0, 1])
        expect(
          (await send('command', { kind: 'MplSetStatus', values, logicalChannel })).body.code,
        ).toBe('command_reserved')
    expect((await server.exchanges(id)).items).toHaveLength(before)
    expect(await left(cplc)).toEqual(untouched)
    // The channel is as it was.
    expect((await send('command', { kind: 'MplGetStatus' })).body.state).toBe('done')
  },
)

test('the refusal names the page for it', async () => {
  const { id } = await server.open(await server.card())
  const detail = async (command: string) => (await server.raw(id, command)).body.detail
  expect(await detail('80F080FF')).toBe(
    'A card is terminated on the page of its element, where a second person approves it.',
  )
  expect(await detail('80E4000003D20130')).toContain('rotation on the element’s page')
  expect(await detail('80F0807F')).toContain('page of its element')
  const unknown = (await server.raw(id, '80AA0000')).body
  expect(unknown).toMatchObject({
    state: 'refused',
    problem: { code: 'command_reserved' },
    items: [],
  })
})

async function ran(cplc: string, draft: string): Promise<ScriptRun> {
  const { id } = await ask<Script>('POST', 'scripts', { name: randomUUID(), draft })
  const { items } = await ask<{ items: ScriptRun[] }>('POST', `scripts/${id}/run`, {
    elements: [cplc],
  })
  const [{ id: runId } = expect.fail('no run')] = items
  const read = () => ask<ScriptRun>('GET', `scripts/${id}/run/${runId}`)
  await vi.waitFor(async () => expect((await read()).state).not.toMatch(/waiting|running/), {
    timeout: 30_000,
    interval: 50,
  })
  return read()
}

test('a script cannot send any of it either, neither as a kind nor as bytes', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const run = await ran(
    cplc,
    `se.select()
se.open({ level: '03' })
const refused = (work) => {
  try { work() } catch (error) { return error.name }
  return 'sent'
}
const found = [
  ...${JSON.stringify(reserved)}.map((hex) => refused(() => se.transmit(hex.replaceAll(' ', '')))),
  ...['terminated', 'cardLocked'].map((cardState) =>
    refused(() => se.send({ kind: 'MplSetStatus', target: 'card', cardState }))),
  refused(() => se.send({ kind: 'MplDelete', target: 'key', keyVersion: 0x30 })),
  refused(() => se.send({ kind: 'MplPutKey', keyVersion: 1 })),
]
log([...new Set(found)].join())`,
  )
  expect([run.cause, run.log.map(({ text }) => text)]).toEqual([null, ['PermissionError']])
  expect(await left(cplc)).toEqual(untouched)
})

test('a replay leaves out commands that ended the card of another session', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const original = await openSession(server.context, processActor('test'), {
    cplc,
    purpose: 'terminate',
  })
  await original.select()
  await original.openChannel({ level: 0x03 })
  await original.send(setCardState({ state: 'terminated' }))
  await original.end()
  expect(await left(cplc)).toMatchObject({ lifeCycle: 0xff })
  const other = await server.card({ lifeCycle: 0x0f })
  const { body } = await server.ask<{ skipped: number; session: ElementSession }>(
    'POST',
    `/${original.id}/replay`,
    { cplc: other },
  )
  expect(body).toMatchObject({ skipped: 1, difference: null })
  expect(await left(other)).toMatchObject(untouched)
})

test('a session of each purpose sends only commands for that purpose', async () => {
  const sends = async (purpose: 'keys' | 'domains' | 'terminate' | 'read', hex: string) => {
    const cplc = await server.card({ lifeCycle: 0x0f })
    const session = await openSession(server.context, processActor('test'), { cplc, purpose })
    try {
      await session.transmit(readHex(hex))
      return 'sent'
    } catch (error) {
      return (error as { code: string }).code
    } finally {
      await session.end()
    }
  }
  expect(await sends('keys', '80D80081')).toBe('sent')
  expect(await sends('domains', '80F0807F')).toBe('sent')
  expect(await sends('terminate', '80F080FF')).toBe('sent')
  for (const [purpose, hex] of [
    ['keys', '80F080FF'],
    ['domains', '80F080FF'],
    ['read', '80F0807F'],
    ['terminate', '80D80081'],
  ] as const)
    expect([purpose, await sends(purpose, hex)]).toEqual([
      purpose,
      expect.stringMatching(/command_reserved|keys_need_rotation/),
    ])
})

const domain = 'D2760000850D01'
const applet = 'D2760000850A01'
const ofDomains = 'D2760000850D'
const ofApplets = 'D2760000850A'

/** A card with a domain that has its own keys, and an applet, each from its own package. */
async function cardWithDomain(): Promise<string> {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const state = await stateOf(cplc)
  const { issuerAid: domainAid, keySets } = state
  const file = { major: 1, minor: 0, size: 10, isFactory: false, imports: [], domainAid }
  state.loadFiles.push(
    { ...file, aid: ofDomains, modules: [domain] },
    { ...file, aid: ofApplets, modules: [applet] },
  )
  const made = { lifeCycle: 0x07, parameters: '', quota: {}, reserved: {}, data: {}, domainAid }
  state.applications.push(
    {
      ...made,
      aid: domain,
      loadFileAid: ofDomains,
      moduleAid: domain,
      privileges: ['securityDomain'],
      model: 'securityDomain',
      domain: { implementation: 0x70, objects: {}, keySets },
    },
    {
      ...made,
      aid: applet,
      loadFileAid: ofApplets,
      moduleAid: applet,
      privileges: [],
      model: 'stub',
    },
  )
  await sql`
    update maple.software_card set state = ${JSON.stringify(state)}::jsonb, version = version + 1
    where cplc = ${cplc}`.execute(server.db)
  return cplc
}

const aidsOn = async (cplc: string) => {
  const { applications, loadFiles } = await stateOf(cplc)
  return [...applications, ...loadFiles.filter(({ isFactory }) => !isFactory)].map(({ aid }) => aid)
}

test('a session deletes applets, but no domain with its keys', async () => {
  const cplc = await cardWithDomain()
  const { id } = await server.open(cplc)
  const deletes = async (aid: string, withRelated: boolean) => {
    const asked = { target: 'object', aid, withRelated }
    const { body } = await server.command(id, 'MplDelete', asked)
    return body.problem?.code ?? body.items.map(({ statusWord }) => statusWord).join()
  }
  await server.command(id, 'MplSelect')
  // Without a channel the card cannot be queried.
  expect(await deletes(applet, false)).toBe('command_reserved')
  await server.channel(id, '03')
  for (const withRelated of [true, false])
    for (const aid of [domain, ofDomains, domain.slice(0, 10)])
      expect([aid, withRelated, await deletes(aid, withRelated)]).toEqual([
        aid,
        withRelated,
        'command_reserved',
      ])
  const bytes = `80E4008009 4F07${domain}`
  for (const isPlain of [true, false])
    expect((await server.raw(id, bytes, { isPlain })).body.problem?.code).toBe('command_reserved')
  expect(await aidsOn(cplc)).toEqual([domain, applet, ofDomains, ofApplets])
  // Grove's own query is not in the response.
  expect(await deletes('D2760000850A99', false)).toBe('6A88')
  expect(await deletes(applet, false)).toBe('9000')
  expect(await deletes(ofApplets, false)).toBe('9000')
  expect(await aidsOn(cplc)).toEqual([domain, ofDomains])
})

test('an applet installed in the session can be deleted, a domain cannot', async () => {
  const cplc = await cardWithDomain()
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  const other = 'D2760000850A02'
  const install = async (values: object) =>
    (await server.command(id, 'MplInstall', { purpose: 'install', ...values })).body.items[0]
      ?.statusWord
  const names = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }
  const asDomain = { ...names, instanceAid: other, privileges: ['securityDomain'] }
  expect(await install(asDomain)).toBe('9000')
  const asked = { target: 'object', aid: other }
  expect((await server.command(id, 'MplDelete', asked)).body.problem?.code).toBe('command_reserved')
  const third = { loadFileAid: ofApplets, moduleAid: applet, instanceAid: 'D2760000850A03' }
  expect(await install(third)).toBe('9000')
  const done = await server.command(id, 'MplDelete', { target: 'object', aid: third.instanceAid })
  expect(done.body.items.map(({ statusWord }) => statusWord)).toEqual(['9000'])
})

test('a domain that answers a SELECT with nothing is known from the last reading', async () => {
  const cplc = await cardWithDomain()
  const { id: reading } = await server.open(cplc)
  await server.command(reading, 'MplSelect')
  await server.channel(reading, '03')
  await server.command(reading, 'MplSetStatus', { target: 'lock', aid: applet })
  await server.ask('POST', `/${reading}/end`)
  const vendorsCommandAfter = async (select: string) => {
    const { id } = await server.open(cplc)
    await server.breakCard(cplc, { wrongStatusWord: { ins: 0xa4, statusWord: 0x9000 } })
    const { body } = await server.raw(id, select)
    expect(body.items.map(({ reply }) => reply)).toEqual(['9000'])
    const sent = (await server.raw(id, '80AA0000')).body
    await server.ask('POST', `/${id}/end`)
    return sent.problem?.code ?? sent.state
  }
  expect(await vendorsCommandAfter(`00A4040007${domain}00`)).toBe('command_reserved')
  expect(await vendorsCommandAfter(`00A4040007${applet}`)).toBe('done')
  const unknown = 'D2760000850E01'
  expect(await vendorsCommandAfter(`00A4040007${unknown}00`)).toBe('done')
  expect(await vendorsCommandAfter(`00A4040007${unknown}`)).toBe('command_reserved')
})

test('a state changed by a session is read from the card again', async () => {
  const cplc = await server.card({ lifeCycle: 0x0f })
  const domain = 'A0000001515350FF01'
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  await server.channel(id, '03')
  const names = { loadFileAid: 'A0000001515350', moduleAid: 'A000000151535041' }
  await server.command(id, 'MplInstall', {
    purpose: 'install',
    ...names,
    instanceAid: domain,
    privileges: ['securityDomain'],
  })
  const { body } = await server.command(id, 'MplSetStatus', { target: 'lock', aid: domain })
  // What Grove reads afterwards is in the log, but not in the response.
  expect(body.items.map(({ statusWord }) => statusWord)).toEqual(['9000'])
  const { items } = await ask<{ items: SecurityDomain[] }>('GET', `se/domains?cplc=${cplc}`)
  expect(items.map(({ aid, state }) => [aid, state])).toEqual([
    [issuer, 'secured'],
    [domain, 'locked'],
  ])
  expect((await server.command(id, 'MplGetStatus')).body.state).toBe('done')
})

test('an application that the card lists accepts PUT KEY as bytes, a domain never', async () => {
  const cplc = await cardWithDomain()
  const { id } = await server.open(cplc)
  const length = (aid: string) => (aid.length / 2).toString(16).padStart(2, '0')
  const putKeyTo = async (aid: string) => {
    await server.raw(id, `00A40400${length(aid)}${aid}00`)
    const { body } = await server.raw(id, '80D8000003AABBCC')
    return [body.state, body.problem?.code]
  }
  // The card was never read: the applet may be a domain.
  expect(await putKeyTo(applet)).toEqual(['refused', 'keys_need_rotation'])
  await server.ask('POST', `/${id}/command`, { kind: 'MplSelect' })
  await server.ask('POST', `/${id}/channel`, { level: '03' })
  await server.ask('POST', `/${id}/command`, {
    kind: 'MplGetStatus',
    values: { subset: 'applications' },
  })
  expect(await putKeyTo(applet)).toEqual(['done', undefined])
  expect(await putKeyTo(domain)).toEqual(['refused', 'keys_need_rotation'])
  expect((await stateOf(cplc)).keySets.map(({ version }) => version)).toEqual([0x30])
})
