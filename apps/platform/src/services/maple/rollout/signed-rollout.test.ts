import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { Template } from '@grove/contract/maple/program/template'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { createAppletClient, type AppletClient } from '../card/applet/testing/applet-client.ts'
import { scopeOfService } from '../../../core/scope.ts'
import { delegate, giveKey } from '../card/purpose-key/testing/delegated-card.ts'
import { tokenNeedOfScope } from '../card/purpose-key/token-need.queries.ts'
import { domain, stateOf } from '../card/session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../card/session/testing/session-server.ts'
import { startApproved } from './rollout.service.ts'
import {
  createRolloutClient,
  groupOf,
  planWith,
  type RolloutClient,
} from './testing/rollout-client.ts'

let server: SessionServer
let applets: AppletClient
let rollouts: RolloutClient
beforeAll(async () => {
  server = await startSessionServer()
  applets = createAppletClient(server, server.admin)
  rollouts = createRolloutClient(server, server.admin)
})
afterAll(() => server.close())

const instanceAid = 'D2760000850101'
const packageAid = 'D27600008501'
const issuer = 'A000000151000000'

async function call<Body>(
  method: 'GET' | 'POST' | 'PUT',
  url: string,
  payload?: object,
): Promise<Body> {
  const response = await server.app.inject({
    method,
    url: `/api/maple/${url}`,
    headers: server.admin,
    ...(payload && { payload }),
  })
  expect([response.statusCode < 300, response.body]).toEqual([true, response.body])
  return response.json()
}

/** Software cards with a delegated domain, in devices that one filter matches. */
async function fleet(size: number, options: Parameters<typeof delegate>[2] = {}) {
  const tag = `f${randomUUID().slice(0, 8)}`
  const cplcs: string[] = []
  for (let count = 0; count < size; count++) cplcs.push(await addCard(tag, options))
  return { tag, cplcs }
}

async function addCard(tag: string, options: Parameters<typeof delegate>[2] = {}) {
  const cplc = await delegate(server, await server.card(), options)
  await sql`update maple.device set tags = array[${tag}]
    where id = (select device_id from maple.element where cplc = ${cplc})`.execute(server.db)
  return cplc
}

let made = 0
/** Each upload is a different file. */
const uploaded = async () => (await applets.uploaded({ size: 2048 + 8 * made++ })).id

async function templateOf(applet: string): Promise<string> {
  const { id } = await call<Template>('POST', 'templates', {
    name: 'A roll',
    parameters: [],
    steps: [
      { kind: 'MplSelect', values: { aid: domain } },
      { kind: 'openChannel', values: { level: '33' } },
      { kind: 'installApplet', values: { applet } },
    ],
  })
  await call('POST', `templates/${id}/version`, {})
  return id
}

type Program = { kind: 'applet' | 'template'; id: string; input: Record<string, unknown> }
const appletProgram = async (input: object = { action: 'install', domain }): Promise<Program> => ({
  kind: 'applet',
  id: await uploaded(),
  input: { ...input },
})
const templateProgram = async (): Promise<Program> => ({
  kind: 'template',
  id: await templateOf(await uploaded()),
  input: {},
})

const started = (tag: string, program: Program, plan = planWith()): Promise<Rollout> =>
  rollouts.started({ name: 'For the delegate', program, targets: { filter: { tag } }, plan })

async function decide({ approvalId }: Rollout, isApproved: boolean, headers?: object) {
  const by = headers ?? (await server.bearer(['ADMIN'], randomUUID()))
  return server.app.inject({
    method: 'PUT',
    url: `/api/maple/approvals?id=${approvalId ?? ''}`,
    headers: { ...by },
    payload: { isApproved },
  })
}

const onCard = async (cplc: string) => {
  const { loadFiles, applications } = await stateOf(server, cplc)
  return {
    file: loadFiles.find(({ aid }) => aid === packageAid)?.domainAid,
    instance: applications.find(({ aid }) => aid === instanceAid)?.domainAid,
  }
}
const installed = { file: domain, instance: domain }
const nothing = { file: undefined, instance: undefined }
const causesOf = async (id: string) =>
  (await rollouts.executions(id)).map(({ state, cause }) => [state, cause])

test.each([
  ['an applet', appletProgram],
  ['a template', templateProgram],
])(
  'a rollout of %s through a delegated domain has one approval for all @long',
  async (_what, program) => {
    const { tag, cplcs } = await fleet(3)
    const plan = planWith({ groups: [groupOf({ by: 'count', amount: 1 }), groupOf()] })
    const rollout = await started(tag, await program(), plan)
    expect(rollout.state).toBe('waiting_for_approval')
    const { items } = await call<{ items: Approval[] }>('GET', `approvals?id=${rollout.approvalId}`)
    expect(items).toMatchObject([
      { action: 'rollout.start', input: { name: 'For the delegate', domain }, needed: 1 },
    ])
    expect((await decide(rollout, true, server.admin)).json()).toMatchObject({
      code: 'own_request',
    })
    expect(await onCard(cplcs[0] ?? '')).toEqual(nothing)
    const answers = await Promise.all([decide(rollout, true), decide(rollout, true)])
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(expect.arrayContaining([200, 409]))
    await rollouts.until(rollout.id, 'finished')
    for (const cplc of cplcs) expect(await onCard(cplc)).toEqual(installed)
    expect(await causesOf(rollout.id)).toEqual(cplcs.map(() => ['succeeded', 'receipts_valid 2']))
    expect(await call('GET', `rollouts/${rollout.id}/cause`)).toEqual({ items: [] })
  },
)

test('its rollback goes through the same domain, with an approval of its own', async () => {
  const { tag, cplcs } = await fleet(1)
  const rollout = await started(tag, await appletProgram())
  await decide(rollout, true)
  await rollouts.until(rollout.id, 'finished')
  const back = await rollouts.control(rollout.id, 'rollback')
  expect(back.program.input).toEqual({ action: 'uninstall', domain })
  const waiting = await rollouts.control(back.id, 'start')
  expect(waiting.state).toBe('waiting_for_approval')
  await decide(waiting, true)
  await rollouts.until(back.id, 'finished')
  expect(await onCard(cplcs[0] ?? '')).toEqual(nothing)
})

test('the approval that rollouts need anyway covers the tokens too', async () => {
  await call('PUT', 'rollouts/policy', { needsApproval: true })
  try {
    const { tag, cplcs } = await fleet(1)
    const rollout = await started(tag, await templateProgram())
    await decide(rollout, true)
    await rollouts.until(rollout.id, 'finished')
    expect(await onCard(cplcs[0] ?? '')).toEqual(installed)
  } finally {
    await call('PUT', 'rollouts/policy', { needsApproval: false })
  }
})

test('a rollout in the name of the issuer needs none', async () => {
  const { tag, cplcs } = await fleet(1)
  const { id, state } = await started(tag, await appletProgram({ action: 'install' }))
  expect(state).toBe('running')
  await rollouts.until(id, 'finished')
  expect((await onCard(cplcs[0] ?? '')).instance).toBe(issuer)
  expect(await causesOf(id)).toEqual([['succeeded', null]])
})

test('if Grove has no key for a device, only that device gets nothing @long', async () => {
  const { tag, cplcs } = await fleet(1)
  const poor = await addCard(tag, { token: null })
  await sql`insert into maple.domain (cplc, aid, parent, state, privileges)
    values (${poor}, ${domain}, ${issuer}, 'selectable', '{securityDomain,delegatedManagement}')`.execute(
    server.db,
  )
  const rollout = await started(tag, await templateProgram())
  await decide(rollout, true)
  await rollouts.until(rollout.id, 'paused')
  const text = `The domain ${domain} needs a token for each command, and there is none for these.`
  expect(await causesOf(rollout.id)).toEqual(
    expect.arrayContaining([
      ['failed', text],
      ['succeeded', 'receipts_valid 2'],
    ]),
  )
  expect([await onCard(cplcs[0] ?? ''), await onCard(poor)]).toEqual([installed, nothing])
})

test.each([
  [
    'of more devices',
    (id: string) =>
      sql`update maple.rollout set targets = targets || '{"joinUntil":"2099-01-01T00:00:00.000Z"}'
        where id = ${id}`,
  ],
  [
    'with another input',
    (id: string) =>
      sql`update maple.rollout set input = input || '{"action":"uninstall"}' where id = ${id}`,
  ],
  [
    'of another file',
    (id: string, file: string) =>
      sql`update maple.rollout set program_id = ${file} where id = ${id}`,
  ],
])('nothing is signed for a rollout %s than approved @long', async (_what, change) => {
  const { tag, cplcs } = await fleet(1)
  const rollout = await started(tag, await appletProgram())
  await change(rollout.id, await uploaded()).execute(server.db)
  await decide(rollout, true)
  await rollouts.until(rollout.id, 'paused')
  expect(new Set((await causesOf(rollout.id)).map(([, cause]) => cause))).toEqual(
    new Set(['plan_changed']),
  )
  expect(await onCard(cplcs[0] ?? '')).toEqual(nothing)
  await rollouts.control(rollout.id, 'stop')
})

test('nothing is signed for a rollout that was refused', async () => {
  const { tag, cplcs } = await fleet(1)
  const rollout = await started(tag, await appletProgram())
  await decide(rollout, false)
  await startApproved(server.context, {
    subject: rollout.id,
    id: rollout.approvalId ?? '',
    requestedBy: server.adminId,
  })
  expect((await rollouts.read(rollout.id)).state).toBe('draft')
  expect(await onCard(cplcs[0] ?? '')).toEqual(nothing)
})

test('a rollout for which nobody can create tokens is refused before it starts', async () => {
  const service = `s${randomUUID().slice(0, 8)}`
  const poor = await delegate(server, await server.card({}, service), { token: null })
  const need = () => tokenNeedOfScope(server.db, scopeOfService(service), [domain])
  // Unless the records say that it needs tokens, the card decides.
  expect(await need()).toEqual({ canSign: false, isStuck: false })
  await sql`insert into maple.domain (cplc, aid, parent, state, privileges)
    values (${poor}, ${domain}, ${issuer}, 'selectable', '{securityDomain,delegatedManagement}')`.execute(
    server.db,
  )
  expect(await need()).toEqual({ canSign: false, isStuck: true })
  const own = createRolloutClient(server, await server.member(service, ['developer']))
  const cap = createAppletClient(server, await server.member(service, ['developer']))
  const { id } = await cap.uploaded({ size: 2048 + 8 * made++ })
  const draft = await own.create({
    name: 'Without a key',
    program: { kind: 'applet', id, input: { action: 'install', domain } },
    targets: { filter: {} },
    plan: planWith(),
  })
  const { status, body } = await own.send('POST', `/${draft.id}/start`)
  expect([status, body.code]).toEqual([409, 'token_key_missing'])
  await giveKey(server, poor, { purpose: 'token', kind: 'AES' })
  expect(await need()).toEqual({ canSign: true, isStuck: false })
  await sql`update maple.domain set privileges = '{securityDomain,authorizedManagement}'
    where cplc = ${poor} and aid = ${domain}`.execute(server.db)
  expect(await need()).toEqual({ canSign: false, isStuck: false })
})

test('a domain is named by an AID', async () => {
  const program = await appletProgram({ action: 'install', domain: 'ISD' })
  const { status, body } = await rollouts.send('POST', '', {
    name: 'Wrong',
    program,
    targets: { filter: {} },
    plan: planWith(),
  })
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['program.input.domain']])
})
