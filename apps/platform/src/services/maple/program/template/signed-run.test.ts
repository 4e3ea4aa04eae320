import { sql } from 'kysely'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type {
  Template,
  TemplateDryRun,
  TemplateRun,
  TemplateTarget,
} from '@grove/contract/maple/program/template'
import { readHex } from '@grove/secure-element/bytes'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import { createAppletClient, type AppletClient } from '../../card/applet/testing/applet-client.ts'
import { delegate, giveKey } from '../../card/purpose-key/testing/delegated-card.ts'
import { addKeySet } from '../../card/key/key-source.ts'
import { changeElsewhere, domain, stateOf } from '../../card/session/testing/card-with-domain.ts'
import {
  startSessionServer,
  type SessionServer,
} from '../../card/session/testing/session-server.ts'
import { forgetUnstarted } from './template-run.queries.ts'
import { startSignedRun, tidyRuns } from './template-run.service.ts'
import { tokenDomains } from './token-plan.ts'

let server: SessionServer
let applets: AppletClient
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
  applets = createAppletClient(server, server.admin)
})
afterAll(() => server.close())

const instanceAid = 'D2760000850101'
const packageAid = 'D27600008501'
const issuer = 'A000000151000000'

type Headers = Record<string, string>
type Content = Parameters<typeof tokenDomains>[0]

const call = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, headers?: Headers) =>
  server.app.inject({
    method,
    url: `/api/maple/${url}`,
    headers: headers ?? server.admin,
    ...(payload && { payload }),
  })

async function ok<Body>(...asked: Parameters<typeof call>): Promise<Body> {
  const response = await call(...asked)
  expect([Math.floor(response.statusCode / 100), response.body]).toEqual([2, response.body])
  return response.json()
}

/** A card with a delegated domain, whose issuer can sign and verify. */
const delegated = async (token: string | null = 'AES', privileges?: PrivilegeName[]) =>
  delegate(server, await server.card(), { token, ...(privileges && { privileges }) })

const open = [
  { kind: 'MplSelect', values: { aid: domain } },
  { kind: 'openChannel', values: { level: '33' } },
]
const install = (applet: string) => ({
  kind: 'installApplet',
  values: { applet },
  rollback: { kind: 'deleteApplet', values: { applet } },
})
/** A step that every card refuses. */
const refusedStep = { kind: 'MplGetData', values: { tag: 'DF7E' } }

let made = 0
/** Each upload is a different file. */
const uploaded = () => applets.uploaded({ size: 2048 + 8 * made++ })

async function published(steps: object[], parameters: object[] = []): Promise<string> {
  const template = await ok<Template>('POST', 'templates', { name: 'A roll', parameters, steps })
  await ok('POST', `templates/${template.id}/version`, {})
  return template.id
}

async function ask(steps: object[], elements: string[]): Promise<TemplateRun> {
  const id = await published(steps)
  return ok<TemplateRun>('POST', `templates/${id}/run`, { elements })
}
const readRun = async (id: string): Promise<TemplateRun> =>
  (await ok<{ items: TemplateRun[] }>('GET', `templates/run?id=${id}`)).items[0] ?? expect.fail()
const targetsOf = async (id: string) =>
  (await ok<{ items: TemplateTarget[] }>('GET', `templates/run/${id}/target`)).items

async function finished(id: string): Promise<TemplateTarget[]> {
  await vi.waitFor(
    async () => expect((await readRun(id)).state).toMatch(/completed|cancelled|failed/),
    { timeout: 30_000, interval: 50 },
  )
  return targetsOf(id)
}
async function decide(run: TemplateRun, isApproved: boolean, headers?: Headers) {
  const by = headers ?? (await server.bearer(['ADMIN'], randomUUID()))
  return call('PUT', `approvals?id=${run.approval?.id ?? ''}`, { isApproved }, by)
}
const requestOf = async (run: TemplateRun) =>
  (await ok<{ items: Approval[] }>('GET', `approvals?id=${run.approval?.id ?? ''}`)).items[0]

const onCard = async (cplc: string) => {
  const { loadFiles, applications } = await stateOf(server, cplc)
  return {
    file: loadFiles.find(({ aid }) => aid === packageAid)?.domainAid,
    instance: applications.find(({ aid }) => aid === instanceAid)?.domainAid,
  }
}
const installed = { file: domain, instance: domain }
const nothing = { file: undefined, instance: undefined }
const receiptsOf = ({ receipts }: TemplateTarget) =>
  receipts.map(({ step, code, params }) => [step, code, params['aid']])

test.each(['AES', 'EC', 'RSA'])(
  'a run through a delegated domain waits for another person, and its receipts are verified (%s)',
  async (kind) => {
    const { id } = await uploaded()
    const cplcs = [await delegated(kind), await delegated(kind)]
    const run = await ask([...open, install(id)], cplcs)
    expect(run).toMatchObject({ state: 'queued', approval: { state: 'pending' } })
    expect(await requestOf(run)).toMatchObject({
      action: 'card.sign',
      input: { name: 'A roll 1', template: run.template.id, domain, elements: 2 },
    })
    expect((await decide(run, true, server.admin)).json()).toMatchObject({ code: 'own_request' })
    expect(await onCard(cplcs[0] ?? '')).toEqual(nothing)
    expect((await decide(run, true)).statusCode).toBe(200)
    for (const target of await finished(run.id)) {
      expect([target.state, receiptsOf(target)]).toEqual([
        'succeeded',
        [
          [2, 'receipt_valid', packageAid],
          [2, 'receipt_valid', instanceAid],
        ],
      ])
      expect(await onCard(target.cplc)).toEqual(installed)
    }
  },
)

test('every kind of step that needs a token gets one', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const first = await ask([...open, install(id)], [cplc])
  await decide(first, true)
  await finished(first.id)
  const second = 'D2760000850102'
  const values = { loadFileAid: packageAid, moduleAid: instanceAid, instanceAid: second }
  const run = await ask(
    [
      ...open,
      { kind: 'MplInstall', values: { purpose: 'install', ...values, isSelectable: false } },
      { kind: 'MplInstall', values: { purpose: 'makeSelectable', instanceAid: second } },
      {
        kind: 'MplInstall',
        values: { purpose: 'registryUpdate', instanceAid: second, privileges: ['globalService'] },
      },
      { kind: 'MplDelete', values: { target: 'object', aid: second } },
      {
        kind: 'MplInstall',
        values: { purpose: 'extradition', instanceAid, securityDomainAid: issuer },
      },
    ],
    [cplc],
  )
  await decide(run, true)
  const [target] = await finished(run.id)
  expect([target?.state, target?.cause, target && receiptsOf(target)]).toEqual([
    'succeeded',
    null,
    [
      [2, 'receipt_valid', second],
      [3, 'receipt_valid', second],
      [4, 'receipt_valid', second],
      [5, 'receipt_valid', second],
      [6, 'receipt_valid', instanceAid],
    ],
  ])
  expect((await onCard(cplc)).instance).toBe(issuer)
})

test('a step authorised by a token is undone with one', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const run = await ask([...open, install(id), refusedStep], [cplc])
  await decide(run, true)
  const [target] = await finished(run.id)
  expect(target).toMatchObject({
    state: 'failed',
    step: 3,
    rollback: { done: 1, total: 1, cause: null },
  })
  expect(target && receiptsOf(target)).toEqual([
    [2, 'receipt_valid', packageAid],
    [2, 'receipt_valid', instanceAid],
    [2, 'receipt_valid', instanceAid],
    [2, 'receipt_valid', packageAid],
  ])
  expect(await onCard(cplc)).toEqual(nothing)
})

test('raw bytes are never signed @long', async () => {
  const cplc = await delegated()
  const { id } = await uploaded()
  const first = await ask([...open, install(id)], [cplc])
  await decide(first, true)
  await finished(first.id)
  const raw = { kind: 'raw', values: { command: `80E40000094F07${instanceAid}` } }
  const alone = await ask([...open, raw], [cplc])
  expect(alone.approval).toBeNull()
  expect((await finished(alone.id))[0]).toMatchObject({
    state: 'failed',
    step: 2,
    cause: { code: 'status_word' },
  })
  // Nor next to a signed step.
  const run = await ask(
    [...open, raw, { kind: 'MplDelete', values: { target: 'object', aid: instanceAid } }],
    [cplc],
  )
  await decide(run, true)
  expect((await finished(run.id))[0]).toMatchObject({ state: 'failed', step: 2, receipts: [] })
  expect(await onCard(cplc)).toEqual(installed)
})

test('a domain that manages its contents needs no approval, and neither do steps of the issuer’s', async () => {
  const { id } = await uploaded()
  const own = await delegated('AES', ['authorizedManagement'])
  await sql`insert into maple.domain (cplc, aid, parent, state, privileges)
    values (${own}, ${domain}, ${issuer}, 'selectable', '{securityDomain,authorizedManagement}')`.execute(
    server.db,
  )
  const run = await ask([...open, install(id)], [own])
  expect(run.approval).toBeNull()
  expect((await finished(run.id))[0]).toMatchObject({ state: 'succeeded', receipts: [] })
  expect(await onCard(own)).toEqual(installed)

  const other = await delegated()
  const plain = await ask([{ ...open[1] }, install(id)], [other])
  expect(plain.approval).toBeNull()
  expect((await finished(plain.id))[0]?.state).toBe('succeeded')
})

test('personalization through a delegated domain needs no token', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const first = await ask([...open, install(id)], [cplc])
  await decide(first, true)
  await finished(first.id)
  const run = await ask(
    [...open, { kind: 'MplInstall', values: { purpose: 'personalization', instanceAid } }],
    [cplc],
  )
  expect(run.approval).toBeNull()
  expect((await finished(run.id))[0]?.state).toBe('succeeded')
})

const withoutKey = async () => {
  const cplc = await delegated(null)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await giveKey(server, cplc, { purpose: 'token', kind: 'EC', key })
  return cplc
}
const known = (cplc: string, privileges: string) =>
  sql`insert into maple.domain (cplc, aid, parent, state, privileges)
    values (${cplc}, ${domain}, ${issuer}, 'selectable', ${privileges}::text[])`.execute(server.db)

test('if a token is needed and Grove has no key, it says so before anything is sent @long', async () => {
  const { id } = await uploaded()
  const cplc = await withoutKey()
  await known(cplc, '{securityDomain,delegatedManagement}')
  const template = await published([...open, install(id)])
  const refused = await call('POST', `templates/${template}/run`, { elements: [cplc] })
  expect([refused.statusCode, refused.json()]).toMatchObject([
    409,
    {
      code: 'token_key_missing',
      detail: `The security domain ${domain} needs a token for each command, and Grove has no key to make them for these cards.`,
    },
  ])
  // Among others for which Grove can sign, only this one gets nothing.
  const other = await delegated()
  const run = await ok<TemplateRun>('POST', `templates/${template}/run`, {
    elements: [cplc, other],
  })
  await decide(run, true)
  const targets = await finished(run.id)
  expect(targets.find((target) => target.cplc === cplc)).toMatchObject({
    state: 'refused',
    cause: { code: 'token_missing' },
    sessionId: null,
  })
  expect(targets.find((target) => target.cplc === other)?.state).toBe('succeeded')
  expect(await onCard(cplc)).toEqual(nothing)
})

test('a domain that unexpectedly needs tokens gets nothing without an approval @long', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  await known(cplc, '{securityDomain,authorizedManagement}')
  const run = await ask([...open, install(id)], [cplc])
  expect(run.approval).toBeNull()
  const [target] = await finished(run.id)
  expect(target).toMatchObject({ state: 'failed', step: 1, cause: { code: 'token_missing' } })
  const unable = await delegated('AES', [])
  const second = await ask([...open, install(id)], [unable])
  await decide(second, true)
  expect((await finished(second.id))[0]).toMatchObject({
    state: 'failed',
    step: 1,
    cause: { code: 'domain_unable' },
  })
  expect([await onCard(cplc), await onCard(unable)]).toEqual([nothing, nothing])
})

test('a dry run creates no tokens', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const outcome = await ok<TemplateDryRun>('POST', 'templates/dry_run', {
    parameters: [],
    steps: [...open, install(id)],
    card: { id: cplc },
  })
  expect(outcome).toMatchObject({ state: 'failed', step: 1, cause: { code: 'token_missing' } })
})

test('nothing is signed for a run that was refused, withdrawn or cancelled', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const refused = await ask([...open, install(id)], [cplc])
  await decide(refused, false)
  expect((await readRun(refused.id)).state).toBe('cancelled')
  await startSignedRun(server.context, { subject: refused.id, requestedBy: server.adminId })
  const cancelled = await ask([...open, install(id)], [cplc])
  await ok('POST', `templates/run/${cancelled.id}/cancel`)
  await decide(cancelled, true)
  const [target] = await finished(cancelled.id)
  expect([(await readRun(cancelled.id)).state, target?.state]).toEqual(['cancelled', 'cancelled'])
  expect((await targetsOf(refused.id))[0]?.state).toBe('waiting')
  expect(await onCard(cplc)).toEqual(nothing)
})

test.each([
  [
    'other elements',
    (run: string, other: string) =>
      sql`update maple.template_target set cplc = ${other} where run_id = ${run}`,
  ],
  [
    'another file of the applet',
    (_run: string, _other: string, applet: string, file: string) =>
      sql`update maple.applet set sha256 = (select sha256 from maple.applet where id = ${file})
        where id = ${applet}`,
  ],
  [
    'other steps',
    (run: string) =>
      sql`update maple.template_version as version
        set content = jsonb_set(content, '{steps,1,title}', '"Other"')
        from maple.template_run as run
        where run.id = ${run} and version.template_id = run.template_id`,
  ],
])('a run with %s than approved is not signed', async (_what, change) => {
  const { id } = await uploaded()
  const { id: file } = await applets.uploaded({ size: 3000 + 8 * made++, minor: 7 + made })
  const [cplc, other] = [await delegated(), await delegated()]
  const run = await ask([...open, install(id)], [cplc])
  await sql`alter table maple.applet drop constraint if exists applet_file`.execute(server.db)
  await sql`drop index if exists maple.applet_file`.execute(server.db)
  await change(run.id, other, id, file).execute(server.db)
  await decide(run, true)
  const [target] = await finished(run.id)
  expect(target).toMatchObject({
    state: 'refused',
    cause: { code: 'plan_changed' },
    sessionId: null,
  })
  expect([await onCard(cplc), await onCard(other)]).toEqual([nothing, nothing])
})

async function jobsNow(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.job where name = 'template.delegated'`.execute(
    server.db,
  )
  return rows[0]?.count ?? 0
}

test('two concurrent approvals start it once, and a repeated one does nothing', async () => {
  const before = await jobsNow()
  const { id } = await uploaded()
  const cplc = await delegated()
  const run = await ask([...open, install(id)], [cplc])
  const answers = await Promise.all([decide(run, true), decide(run, true)])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(expect.arrayContaining([200, 409]))
  await Promise.all(
    [1, 2].map(() =>
      startSignedRun(server.context, { subject: run.id, requestedBy: server.adminId }),
    ),
  )
  const [target] = await finished(run.id)
  expect(target?.state).toBe('succeeded')
  expect((await jobsNow()) - before).toBe(1)
})

test('after a kill the card in the middle of a step is not touched again, and the approved run continues with the others', async () => {
  const { id } = await uploaded()
  const cplcs = [await delegated(), await delegated()]
  const run = await ask([...open, install(id)], cplcs)
  await sql`update maple.template_target set state = 'running', step = 2
    where run_id = ${run.id} and cplc = ${cplcs[0]}`.execute(server.db)
  await decide(run, true)
  const targets = await finished(run.id)
  const stateAt = (at: number) => targets.find(({ cplc }) => cplc === cplcs[at])?.state
  expect([stateAt(0), stateAt(1)]).toEqual(['unknown', 'succeeded'])
  expect([await onCard(cplcs[0] ?? ''), await onCard(cplcs[1] ?? '')]).toEqual([nothing, installed])
})

test('the values of a run that was never approved are deleted', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const run = await ask([...open, install(id)], [cplc])
  const waiting = await ask([...open, install(id)], [cplc])
  await decide(run, false)
  await forgetUnstarted(server.db)
  const { rows } = await sql<{ id: string }>`
    select id from maple.template_run
    where id = any(${[run.id, waiting.id]}::uuid[]) and sealed_input is not null`.execute(server.db)
  expect(rows).toEqual([{ id: waiting.id }])
})

test('a template that was deprecated since does not run after an approval', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const run = await ask([...open, install(id)], [cplc])
  await ok('POST', `templates/${run.template.id}/state`, { state: 'deprecated' })
  await decide(run, true)
  const [target] = await finished(run.id)
  expect((await readRun(run.id)).state).toBe('cancelled')
  expect(target).toMatchObject({
    state: 'cancelled',
    cause: { code: 'template_deprecated' },
    sessionId: null,
  })
  expect(await onCard(cplc)).toEqual(nothing)
})

test('an approved run that was never started is started later', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const run = await ask([...open, install(id)], [cplc])
  await tidyRuns(server.context)
  expect((await readRun(run.id)).state).toBe('queued')
  await sql`update maple.approval set state = 'approved'
    where id = ${run.approval?.id ?? ''}`.execute(server.db)
  await tidyRuns(server.context)
  expect((await finished(run.id))[0]?.state).toBe('succeeded')
  expect(await onCard(cplc)).toEqual(installed)
})

test.each([
  { kind: 'MplSelect', values: {} },
  { kind: 'raw', values: { command: '00A4040000' } },
])('after a SELECT without an AID the issuer acts (%j)', (select) => {
  const steps = [...open, select, { kind: 'openChannel', values: { level: '33' } }]
  const content = { parameters: [], steps: [...steps, install(randomUUID())] }
  expect(tokenDomains(content as unknown as Content, new Map())).toEqual([])
})

test('INSTALL [for load] without a hash of the file is never signed', async () => {
  const cplc = await delegated()
  const load = { kind: 'MplInstall', values: { purpose: 'load', loadFileAid: packageAid } }
  const run = await ask([...open, load], [cplc])
  await decide(run, true)
  expect((await finished(run.id))[0]).toMatchObject({
    state: 'failed',
    step: 1,
    cause: { code: 'load_unsigned' },
    receipts: [],
  })
})

test('the issuer’s steps are undone with its own key version', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const key = '101112131415161718191A1B1C1D1E1F'
  const version = 0x21
  await changeElsewhere(server, cplc, (state) => {
    const own = state.applications.find(({ aid }) => aid === domain)?.domain
    const [set] = state.keySets
    if (!own || !set) throw new Error('the card has a domain and keys')
    own.keySets = [{ ...set, version, keys: set.keys.map((each) => ({ ...each, value: key })) }]
  })
  const bytes = readHex(key)
  await addKeySet(server.context, server.db, {
    cplc,
    domain,
    version,
    protocol: 'SCP03',
    origin: 'imported',
    keys: { enc: bytes, mac: bytes, dek: bytes },
  })
  const channel = (keyVersion: number) => ({
    kind: 'openChannel',
    values: { level: '33', keyVersion },
  })
  const run = await ask(
    [channel(0x30), install(id), { ...open[0] }, channel(version), refusedStep],
    [cplc],
  )
  expect((await finished(run.id))[0]).toMatchObject({
    state: 'failed',
    step: 4,
    rollback: { done: 1, total: 1, cause: null },
  })
  expect(await onCard(cplc)).toEqual(nothing)
})

test('approvers read the version, the open values and the steps in the request', async () => {
  const { id, name, version } = await uploaded()
  const cplc = await delegated()
  const raw = { kind: 'raw', values: { command: '80CA{{tag}}7F00' } }
  const steps = [
    ...open,
    install(id),
    { kind: 'MplDelete', values: { target: 'object', aid: '{{what}}' } },
    { kind: 'raw', values: { command: '8020000001{{pin}}' } },
    ...Array.from({ length: 20 }, () => raw),
  ]
  const template = await published(steps, [
    { name: 'what', type: 'aid', isRequired: true },
    { name: 'tag', type: 'hex', isRequired: true },
    { name: 'pin', type: 'hex', isRequired: true, isSecret: true },
  ])
  const run = await ok<TemplateRun>('POST', `templates/${template}/run`, {
    elements: [cplc],
    input: [
      { name: 'what', value: 'A0000000990102' },
      { name: 'tag', value: '9F' },
      { name: 'pin', value: '5A' },
    ],
  })
  const request = await requestOf(run)
  const applet = [`${name} ${version}`]
  expect(request?.input).toMatchObject({ version: 1, stepCount: 25 })
  expect(request?.input.values).toEqual([
    { name: 'what', value: 'A0000000990102' },
    { name: 'tag', value: '9F' },
  ])
  expect(request?.input.steps?.slice(0, 7)).toEqual([
    { index: 0, isRollback: false, kind: 'MplSelect', words: [domain] },
    { index: 1, isRollback: false, kind: 'openChannel', words: ['33'] },
    { index: 2, isRollback: false, kind: 'installApplet', words: applet },
    { index: 2, isRollback: true, kind: 'deleteApplet', words: applet },
    { index: 3, isRollback: false, kind: 'MplDelete', words: ['object', 'A0000000990102'] },
    { index: 4, isRollback: false, kind: 'raw', words: [] },
    { index: 5, isRollback: false, kind: 'raw', words: ['80CA9F7F00'] },
  ])
  expect(request?.input.steps?.at(-1)?.index).toBe(19)
  expect(JSON.stringify(request)).not.toContain('80200000')
})
