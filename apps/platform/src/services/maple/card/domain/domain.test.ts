import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { Problem } from '@grove/contract/shapes'
import type { ResponseOf } from '@grove/contract/call'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { resourceClient } from '../../../../core/testing/resource-client.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { maple } from '../../index.ts'

type Answer = ResponseOf<Calls['POST /api/maple/se/domains']>

let server: TestServer
let elements: ReturnType<typeof resourceClient<SecureElement>>
let domains: ReturnType<typeof resourceClient>
let cplc: string
const adminId = randomUUID()
beforeAll(async () => {
  server = await startTestServer([maple])
  const admin = await server.bearer(['ADMIN'], adminId)
  elements = resourceClient(server, '/api/maple/se/element', admin)
  domains = resourceClient(server, '/api/maple/se/domains', admin)
})
beforeEach(async () => {
  cplc = randomBytes(42).toString('hex').toUpperCase()
  await elements.create({ cplc })
})
afterAll(() => server.close())

const domain = (aid: string, more: Partial<SecurityDomain> = {}): SecurityDomain => ({
  aid,
  parent: 'A000000151000000',
  state: 'selectable',
  privileges: ['securityDomain'],
  ...more,
})
const issuer = domain('A000000151000000', { parent: null, state: 'initialized' })
const transit = domain('A0000001515350410001')
const shop = domain('A0000001515350410002', { parent: transit.aid })

const post = (list: readonly object[], query: Record<string, string> = {}, more: object = {}) =>
  domains.send('POST', query, { cplc, domains: list }, more)
const replaced = async (list: readonly object[]) => {
  const response = await post(list, { replace: 'true' })
  expect([response.statusCode, response.body]).toEqual([200, response.body])
  return response.json<Answer>()
}
const planned = async (list: readonly object[], query: Record<string, string> = {}) =>
  (await post(list, { ...query, dryRun: 'true' })).json<Answer>().plan
const read = async () =>
  (await domains.send('GET', { cplc })).json<ResponseOf<Calls['GET /api/maple/se/domains']>>()
const element = async () => (await elements.list({ cplc })).items[0]

test('a list replaces the domains, and the card gets the state of its issuer domain', async () => {
  const answer = await replaced([shop, issuer, transit])
  expect(answer).toEqual({
    plan: { added: [issuer, transit, shop], changed: [], removed: [], refusals: [] },
    isApplied: true,
    items: [issuer, transit, shop],
    revision: 2,
  })
  expect(await read()).toEqual({ items: answer.items, revision: 2 })
  expect(await element()).toMatchObject({ state: 'initialized', revision: 2 })
  expect((await elements.eventsOf(cplc)).at(-1)).toMatchObject({
    action: 'element.domains',
    actor: adminId,
    before: { domains: [], state: 'unknown', revision: 1 },
    after: { domains: [issuer, transit, shop], state: 'initialized', revision: 2 },
  })
})

test('a dry run shows what would be added, changed and removed, and changes nothing', async () => {
  await replaced([issuer, transit, shop])
  const other = domain('A0000001515350410003')
  const moved = { ...shop, parent: issuer.aid, state: 'personalized' as const }
  const plan = await planned([issuer, moved, other], { replace: 'true' })
  expect(plan).toEqual({
    added: [other],
    changed: [{ before: shop, after: moved }],
    removed: [transit],
    refusals: [],
  })
  expect(await read()).toEqual({ items: [issuer, transit, shop], revision: 2 })
  expect((await elements.eventsOf(cplc)).at(-1)).toMatchObject({ after: { revision: 2 } })
})

test('a merge adds and changes, and removes nothing', async () => {
  await replaced([issuer, transit])
  const locked = { ...transit, state: 'locked' as const }
  const answer = (await post([locked, shop])).json<Answer>()
  expect(answer.plan).toMatchObject({
    added: [shop],
    changed: [{ before: transit, after: locked }],
    removed: [],
  })
  expect((await read()).items).toEqual([issuer, locked, shop])
})

test('the same list again changes nothing, in whatever form', async () => {
  await replaced([issuer, transit])
  const again = await replaced([
    { ...transit, aid: transit.aid.toLowerCase(), parent: issuer.aid.toLowerCase() },
    { ...issuer, privileges: ['securityDomain', 'securityDomain'] },
  ])
  expect(again).toMatchObject({ plan: { added: [], changed: [], removed: [] }, revision: 2 })
  expect(await elements.eventsOf(cplc)).toHaveLength(2)
})

describe('the rules of GlobalPlatform', () => {
  const privileges = (...more: string[]) => ['securityDomain', ...more]
  test.each([
    ['an AID twice', [issuer, transit, transit], 'duplicate', transit.aid],
    ['no issuer', [transit, shop], 'unknownParent', transit.aid],
    [
      'a second issuer',
      [issuer, { ...transit, parent: null, state: 'secured' }],
      'secondIssuer',
      transit.aid,
    ],
    ['a parent that is not there', [issuer, shop], 'unknownParent', shop.aid],
    ['a circle', [issuer, { ...transit, parent: shop.aid }, shop], 'cycle', shop.aid],
    ['its own parent', [issuer, { ...transit, parent: transit.aid }], 'cycle', transit.aid],
    ['no security domain', [issuer, { ...transit, privileges: [] }], 'needsPrivilege', transit.aid],
    [
      'mandated DAP without DAP',
      [issuer, { ...transit, privileges: privileges('mandatedDapVerification') }],
      'needsPrivilege',
      transit.aid,
    ],
    [
      'authorized with delegated management',
      [
        issuer,
        { ...transit, privileges: privileges('authorizedManagement', 'delegatedManagement') },
      ],
      'excludesPrivilege',
      transit.aid,
    ],
    [
      'card reset twice',
      [
        { ...issuer, privileges: privileges('cardReset') },
        { ...transit, privileges: privileges('cardReset') },
      ],
      'privilegeTaken',
      transit.aid,
    ],
    ['a state of a card', [issuer, { ...transit, state: 'secured' }], 'wrongState', transit.aid],
    ['an issuer that is installed', [{ ...issuer, state: 'installed' }], 'wrongState', issuer.aid],
  ])('refuse %s', async (_, list, code, aid) => {
    const plan = await planned(list, { replace: 'true' })
    expect(plan.refusals).toContainEqual(expect.objectContaining({ code, aid }))
    const response = await post(list, { replace: 'true' })
    const problem = response.json<Problem>()
    expect([response.statusCode, problem.code]).toEqual([409, 'domains_refused'])
    expect(problem.errors).toContainEqual(expect.objectContaining({ code }))
    expect((await read()).items).toEqual([])
  })

  test('refuse a merge without an issuer if the element has none', async () => {
    expect((await planned([{ ...transit, parent: transit.aid }])).refusals).toContainEqual(
      expect.objectContaining({ code: 'issuerMissing' }),
    )
  })

  test('refuse to delete the issuer, or a domain that others depend on', async () => {
    await replaced([issuer, transit, shop])
    const codes = async (list: object[]) =>
      (await planned(list, { replace: 'true' })).refusals.map(({ code }) => code)
    expect(await codes([])).toEqual(['issuerRemoved'])
    expect(await codes([issuer, shop])).toEqual(['unknownParent'])
    expect(await codes([issuer])).toEqual([])
  })

  test.each([
    ['personalized', 'selectable', false],
    ['personalized', 'installed', false],
    ['installed', 'personalized', true],
    ['selectable', 'locked', true],
    ['locked', 'personalized', true],
  ] as const)('a domain that is %s becomes %s: %s', async (from, to, isAllowed) => {
    await replaced([issuer, { ...transit, state: from }])
    const { refusals } = await planned([{ ...transit, state: to }])
    expect(refusals.map(({ code }) => code)).toEqual(isAllowed ? [] : ['stateGoesBack'])
  })

  test.each([
    ['secured', 'initialized', false],
    ['secured', 'cardLocked', true],
    ['cardLocked', 'secured', true],
    ['cardLocked', 'opReady', false],
    ['opReady', 'secured', true],
    ['initialized', 'terminated', true],
    ['terminated', 'secured', false],
  ] as const)('a card that is %s becomes %s: %s', async (from, to, isAllowed) => {
    await replaced([{ ...issuer, state: from }])
    const { refusals } = await planned([{ ...issuer, state: to }])
    expect(refusals.map(({ code }) => code)).toEqual(isAllowed ? [] : ['stateGoesBack'])
  })

  test('the state with which an element was registered applies to its first list', async () => {
    cplc = randomBytes(42).toString('hex').toUpperCase()
    await elements.create({ cplc, state: 'terminated' })
    const { refusals } = await planned([issuer])
    expect(refusals).toMatchObject([
      { code: 'stateGoesBack', params: { from: 'terminated', to: 'initialized' } },
    ])
  })
})

test('a plan is applied only if the element has not changed', async () => {
  await replaced([issuer])
  const at = { 'if-match': '"2"' }
  const answers = await Promise.all([post([transit], {}, at), post([shop, transit], {}, at)])
  expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409])
  const refused = answers.find(({ statusCode }) => statusCode === 409)
  expect(refused?.json<Problem>().code).toBe('edit_conflict')
  expect((await post([shop], { dryRun: 'true' }, at)).statusCode).toBe(409)
})

test('merges by ten concurrent admins without a revision are all kept', async () => {
  await replaced([issuer])
  const aids = Array.from({ length: 10 }, (_, index) => `A00000015153504100${index}0`)
  const answers = await Promise.all(aids.map((aid) => post([domain(aid)])))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(aids.map(() => 200))
  expect((await read()).items.map(({ aid }) => aid)).toEqual([issuer.aid, ...aids].toSorted())
})

test('a chip that is personalised again keeps its domains under the new CPLC', async () => {
  await replaced([issuer, transit])
  const former = cplc
  cplc = former.slice(0, 36) + randomBytes(24).toString('hex').toUpperCase()
  await elements.create({ cplc, replaces: former })
  expect((await read()).items).toEqual([issuer, transit])
})

test('a blocked element stays blocked', async () => {
  cplc = randomBytes(42).toString('hex').toUpperCase()
  await elements.create({ cplc, state: 'blocked' })
  await replaced([issuer])
  expect(await element()).toMatchObject({ state: 'blocked', revision: 2 })
})

test.each([
  [{ aid: 'A0' }, 'domains.0.aid'],
  [{ aid: 'A00000015100000' }, 'domains.0.aid'],
  [{ parent: 'xyz' }, 'domains.0.parent'],
  [{ state: 'online' }, 'domains.0.state'],
  [{ privileges: ['root'] }, 'domains.0.privileges.0'],
])('a wrong field is named: %o', async (wrong, path) => {
  const response = await post([{ ...transit, ...wrong }])
  expect([response.statusCode, response.json<Problem>().errors?.[0]?.path]).toEqual([400, path])
})

test('an unknown element, and an invalid CPLC, are refused', async () => {
  cplc = '4790'
  expect((await post([issuer])).json<Problem>().detail).toBe(
    'cplc has 4 hex digits; a CPLC has 84.',
  )
  cplc = 'F'.repeat(84)
  for (const answer of [await post([issuer]), await domains.send('GET', { cplc })])
    expect([answer.statusCode, answer.json<Problem>().code]).toEqual([404, 'not_found'])
})
