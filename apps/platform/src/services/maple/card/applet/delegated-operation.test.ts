import { sql } from 'kysely'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type {
  AppletOperation,
  AppletPreflight,
  AppletTarget,
} from '@grove/contract/maple/card/applet-operation'
import type { PurposeKey } from '@grove/contract/maple/card/purpose-key'
import type { NewCap } from '@grove/secure-element/cap/make-cap'
import { parseCommand } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { tokenFor } from '@grove/secure-element/host/delegation'
import type { PrivilegeName } from '@grove/secure-element/privileges'
import { cardWithDomain, domain, stateOf } from '../session/testing/card-with-domain.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { createAppletClient, type AppletClient } from './testing/applet-client.ts'

let server: SessionServer
let applets: AppletClient
beforeAll(async () => {
  server = await startSessionServer({ jobs: { pollMs: 20, hasRecurring: false } })
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
afterAll(() => server.close())

const instanceAid = 'D2760000850101'
const packageAid = 'D27600008501'

type Method = 'GET' | 'POST' | 'PUT'
const call = async (method: Method, url: string, payload?: object, headers = server.admin) =>
  server.app.inject({ method, url: `/api/maple/${url}`, headers, ...(payload && { payload }) })

/** Gives a domain of a card a key, and waits until the card has it. */
async function give(cplc: string, body: object): Promise<PurposeKey> {
  const response = await call('POST', 'se/keys/purpose', { cplc, ...body })
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  const { id } = response.json<PurposeKey>()
  return vi.waitFor(async () => {
    const { items } = (await call('GET', `se/keys/purpose?cplc=${cplc}`)).json<{
      items: PurposeKey[]
    }>()
    const found = items.find((key) => key.id === id)
    expect(found?.state).toBe('active')
    return found ?? expect.fail()
  }, 10_000)
}

/** A card with a delegated domain. */
const delegated = (privileges: PrivilegeName[] = ['delegatedManagement'], options = {}) =>
  cardWithDomain(server, options, privileges)

async function ask(id: string, body: object): Promise<AppletOperation> {
  const response = await applets.send('POST', `applets/${id}/operation`, { domain, ...body })
  expect([response.statusCode, response.body]).toEqual([201, response.body])
  return response.json()
}
const readOperation = async (id: string): Promise<AppletOperation> =>
  (await applets.send('GET', `applets/operation?id=${id}`)).json().items[0]

async function finished(id: string): Promise<AppletTarget> {
  await vi.waitFor(
    async () => expect((await readOperation(id)).state).toMatch(/completed|cancelled|failed/),
    { timeout: 30_000, interval: 50 },
  )
  const [target] = (await applets.send('GET', `applets/operation/${id}/target`)).json<{
    items: AppletTarget[]
  }>().items
  return target ?? expect.fail()
}
async function decide(
  operation: AppletOperation,
  isApproved: boolean,
  headers?: { authorization: string },
) {
  const by = headers ?? (await server.bearer(['ADMIN'], randomUUID()))
  return call('PUT', `approvals?id=${operation.approval?.id ?? ''}`, { isApproved }, by)
}
const codesOf = ({ findings }: AppletTarget) => findings.map(({ code }) => code)
const onCard = async (cplc: string) => {
  const { loadFiles, applications } = await stateOf(server, cplc)
  return {
    file: loadFiles.find(({ aid }) => aid === packageAid)?.domainAid,
    instance: applications.find(({ aid }) => aid === instanceAid)?.domainAid,
  }
}
let made = 0
/** Each upload is a different file. */
const uploaded = (more: Partial<NewCap> = {}) =>
  applets.uploaded({ size: 2048 + 8 * made++, ...more })
const installed = { file: domain, instance: domain }
const nothing = { file: undefined, instance: undefined }

describe.each([
  ['SCP03', 'AES', 'AES'],
  ['SCP03', 'EC', 'AES'],
  ['SCP02', 'RSA', 'DES'],
] as const)('a delegate on a card with %s, with tokens of %s', (protocol, token, receipt) => {
  test('installs once another person has approved, and the receipts are verified', async () => {
    const { id } = await uploaded()
    const cplc = await delegated(['delegatedManagement'], { protocol })
    await give(cplc, { purpose: 'token', kind: token })
    await give(cplc, { purpose: 'receipt', kind: receipt })
    const operation = await ask(id, { kind: 'install', elements: [cplc] })
    expect(operation).toMatchObject({
      domain,
      state: 'queued',
      approval: { state: 'pending' },
    })
    expect((await decide(operation, true, server.admin)).json()).toMatchObject({
      code: 'own_request',
    })
    expect(await onCard(cplc)).toEqual(nothing)
    expect((await decide(operation, true)).statusCode).toBe(200)
    const target = await finished(operation.id)
    expect([target.state, codesOf(target)]).toEqual([
      'succeeded',
      expect.arrayContaining(['receipt_valid', 'receipt_valid']),
    ])
    expect(target.findings.find(({ code }) => code === 'receipt_valid')?.message).toBe(
      `The card’s receipt 1 for ${packageAid} is valid.`,
    )
    expect(await onCard(cplc)).toEqual(installed)

    const removal = await ask(id, { kind: 'uninstall', elements: [cplc] })
    await decide(removal, true)
    const removed = await finished(removal.id)
    expect([removed.state, codesOf(removed)]).toEqual([
      'succeeded',
      ['data_lost', 'receipt_valid', 'receipt_valid'],
    ])
    expect(await onCard(cplc)).toEqual(nothing)
  })
})

test('approvers can read what is installed, with which rights, and on which cards', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  await give(cplc, { purpose: 'token', kind: 'AES' })
  const instances = [
    {
      moduleAid: domain,
      instanceAid: 'A000000001',
      parameters: 'C0FFEE',
      privileges: ['cardReset'],
    },
  ]
  const operation = await ask(id, { kind: 'install', elements: [cplc], instances })
  const answer = await call('GET', `approvals?id=${operation.approval?.id ?? ''}`)
  expect(answer.json().items[0].input).toMatchObject({
    elements: 1,
    cplcs: [cplc],
    instances: [{ aid: 'A000000001', parameters: 'C0FFEE', privileges: ['cardReset'] }],
  })
})

test.each([1, 2, 3, 4, 5, 6])(
  'a power cut before write %i finally leaves one package and one instance @long',
  async (powerCutBeforeWrite) => {
    const { id } = await uploaded()
    const cplc = await delegated()
    await give(cplc, { purpose: 'token', kind: 'AES' })
    await give(cplc, { purpose: 'receipt', kind: 'AES' })
    await server.breakCard(cplc, { powerCutBeforeWrite })
    const operation = await ask(id, { kind: 'install', elements: [cplc] })
    await decide(operation, true)
    expect((await finished(operation.id)).state).toMatch(/succeeded|unchanged/)
    expect(await onCard(cplc)).toEqual(installed)
  },
)

test('tokens made by the card’s owner work without a key in Grove', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await give(cplc, {
    purpose: 'token',
    kind: 'EC',
    key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  })
  const refused = await applets.send('POST', `applets/${id}/operation`, {
    kind: 'install',
    elements: [cplc],
    domain,
  })
  expect(refused.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'tokens', code: 'required' }],
  })
  const [item] = (
    await applets.send('POST', `applets/${id}/preflight`, {
      kind: 'install',
      elements: [cplc],
      domain,
    })
  ).json<{ items: AppletPreflight[] }>().items
  expect(item?.commands.map((command) => command.slice(2, 6))).toEqual(['E602', 'E60C'])
  const tokens = item?.commands.map((command) => ({
    command,
    token: toHex(tokenFor(parseCommand(readHex(command)), privateKey)),
  }))
  // A token for another command does not count, and nothing is sent.
  const lacking = await ask(id, { kind: 'install', elements: [cplc], tokens: tokens?.slice(1) })
  expect(lacking.approval).toBeNull()
  const target = await finished(lacking.id)
  expect([target.state, codesOf(target)]).toEqual([
    'refused',
    expect.arrayContaining(['token_missing']),
  ])
  expect(await onCard(cplc)).toEqual(nothing)

  const operation = await ask(id, { kind: 'install', elements: [cplc], tokens })
  expect((await finished(operation.id)).state).toBe('succeeded')
  expect(await onCard(cplc)).toEqual(installed)
  const { rows } = await sql<{ text: string }>`
    select coalesce(after::text, '') as text from maple.event where action = 'applet.install'`.execute(
    server.db,
  )
  expect(rows.some(({ text }) => text.includes(tokens?.[0]?.token ?? '?'))).toBe(false)
  // The session's log lacks them too: its readers could send them to other cards.
  const { rows: exchanges } = await sql<{ text: string }>`
    select upper(exchange::text) as text from maple.exchange`.execute(server.db)
  expect(exchanges.length).toBeGreaterThan(0)
  for (const { token } of tokens ?? [])
    expect(exchanges.filter(({ text }) => text.includes(token))).toEqual([])
})

test('tokens are created only for the domain’s provider, once another person approved', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  await give(cplc, { purpose: 'token', kind: 'EC' })
  const [item] = (
    await applets.send('POST', `applets/${id}/preflight`, {
      kind: 'install',
      elements: [cplc],
      domain,
    })
  ).json<{ items: AppletPreflight[] }>().items
  const commands = item?.commands ?? expect.fail()
  const wrong = await call('POST', 'se/tokens', { cplc, commands: [...commands, '80F28002024F00'] })
  expect(wrong.json()).toMatchObject({ code: 'invalid_request', errors: [{ path: 'commands.2' }] })
  const asked = await call('POST', 'se/tokens', { cplc, commands })
  expect(asked.json()).toMatchObject({
    cplc,
    commands,
    tokens: null,
    approval: { state: 'pending' },
  })
  const again = await call('POST', 'se/tokens', { cplc, commands })
  expect(again.json()).toMatchObject({ code: 'transition_refused' })
  await decide(asked.json<{ approval: AppletOperation['approval'] } & AppletOperation>(), true)
  const read = async (headers?: { authorization: string }) =>
    (await call('GET', `se/tokens?cplc=${cplc}`, undefined, headers)).json<{
      items: { tokens: string[] | null }[]
    }>().items
  const [made] = await vi.waitFor(async () => {
    const items = await read()
    expect(items[0]?.tokens).toHaveLength(2)
    return items
  }, 10_000)
  expect(await read(await server.bearer(['ADMIN'], randomUUID()))).toEqual([])
  const tokens = commands.map((command, index) => ({ command, token: made?.tokens?.[index] ?? '' }))
  const operation = await ask(id, { kind: 'install', elements: [cplc], tokens })
  expect(operation.approval).toBeNull()
  expect((await finished(operation.id)).state).toBe('succeeded')
  expect(await onCard(cplc)).toEqual(installed)
  const bare = await delegated()
  const none = await call('POST', 'se/tokens', { cplc: bare, commands })
  expect(none.json()).toMatchObject({ code: 'key_missing' })
})

describe('nothing is signed', () => {
  test.each(['refused', 'withdrawn'])('once the request is %s', async (end) => {
    const { id } = await uploaded()
    const cplc = await delegated()
    await give(cplc, { purpose: 'token', kind: 'AES' })
    const operation = await ask(id, { kind: 'install', elements: [cplc] })
    await (end === 'refused'
      ? decide(operation, false)
      : server.app.inject({
          method: 'DELETE',
          url: `/api/maple/approvals?id=${operation.approval?.id ?? ''}`,
          headers: server.admin,
        }))
    expect(await readOperation(operation.id)).toMatchObject({
      state: 'cancelled',
      approval: { state: end },
    })
    const again = await applets.send('POST', `applets/operation/${operation.id}/retry`)
    expect(again.json()).toMatchObject({ code: 'job_not_finished' })
    expect(await onCard(cplc)).toEqual(nothing)
  })

  test('for an operation that was cancelled before its approval', async () => {
    const { id } = await uploaded()
    const cplc = await delegated()
    await give(cplc, { purpose: 'token', kind: 'AES' })
    const operation = await ask(id, { kind: 'install', elements: [cplc] })
    await applets.send('POST', `applets/operation/${operation.id}/cancel`)
    await decide(operation, true)
    const target = await finished(operation.id)
    expect([(await readOperation(operation.id)).state, target.state]).toEqual([
      'cancelled',
      'cancelled',
    ])
    expect(await onCard(cplc)).toEqual(nothing)
  })
})

test('a domain that the card lacks gets nothing, and neither does the issuer’s', async () => {
  const { id } = await uploaded()
  const cplc = await server.card()
  await give(cplc, { purpose: 'token', kind: 'AES' })
  const operation = await ask(id, { kind: 'install', elements: [cplc] })
  await decide(operation, true)
  const target = await finished(operation.id)
  expect([target.state, codesOf(target)]).toEqual(['refused', ['domain_missing']])
  const key = await call('POST', 'se/keys/purpose', { cplc, domain, purpose: 'dap', kind: 'AES' })
  await vi.waitFor(async () => {
    const { items } = (await call('GET', `se/keys/purpose?cplc=${cplc}`)).json<{
      items: PurposeKey[]
    }>()
    expect(items.find((each) => each.id === key.json<PurposeKey>().id)).toMatchObject({
      state: 'failed',
      note: `The card has no security domain ${domain}. Read the card on the page of its element.`,
    })
  }, 10_000)
  const { keySets } = await stateOf(server, cplc)
  expect(keySets.map(({ version }) => version)).toEqual([0x30, 0x70])
})

test('an operation without approval has no tokens, whatever Grove’s records say about the domain', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  await give(cplc, { purpose: 'token', kind: 'AES' })
  await sql`insert into maple.domain (cplc, aid, parent, state, privileges)
    values (${cplc}, ${domain}, 'A000000151000000', 'selectable', '{securityDomain,authorizedManagement}')`.execute(
    server.db,
  )
  const operation = await ask(id, { kind: 'install', elements: [cplc] })
  expect(operation.approval).toBeNull()
  const target = await finished(operation.id)
  expect([target.state, codesOf(target)]).toEqual([
    'refused',
    expect.arrayContaining(['token_missing']),
  ])
  expect(await onCard(cplc)).toEqual(nothing)
})

test('a wrong receipt key is noticed, and so is a domain that cannot manage contents @long', async () => {
  const { id } = await uploaded()
  const cplc = await delegated()
  await give(cplc, { purpose: 'token', kind: 'AES' })
  const receipt = await give(cplc, { purpose: 'receipt', kind: 'AES' })
  await give(cplc, { purpose: 'receipt', kind: 'AES' })
  // The card has the second key, while Grove expects a third one.
  const other = await server.context.keys.vault.keepText(receipt.id, '00'.repeat(16))
  await sql`update maple.purpose_key set state = 'replaced' where cplc = ${cplc} and purpose = 'receipt'`.execute(
    server.db,
  )
  await sql`update maple.purpose_key set state = 'active', vault_key = ${other.vaultKey},
    wrapped_key = ${other.wrappedKey}, sealed_keys = ${other.body} where id = ${receipt.id}`.execute(
    server.db,
  )
  const operation = await ask(id, { kind: 'install', elements: [cplc] })
  await decide(operation, true)
  const target = await finished(operation.id)
  expect(target.findings).toContainEqual(
    expect.objectContaining({ code: 'receipt_wrong', severity: 'warning' }),
  )
  const unable = await delegated([])
  await give(unable, { purpose: 'token', kind: 'AES' })
  const second = await ask(id, { kind: 'install', elements: [unable] })
  await decide(second, true)
  const refused = await finished(second.id)
  expect([refused.state, codesOf(refused)]).toEqual([
    'refused',
    expect.arrayContaining(['domain_unable']),
  ])
})

test('a load file is signed for the domain that verifies it', async () => {
  const { id } = await uploaded()
  const cplc = await delegated(['dapVerification'])
  const body = { kind: 'install', elements: [cplc], domain: undefined, dapDomainAid: domain }
  await give(cplc, { domain, purpose: 'dap', kind: 'EC' })
  const operation = await ask(id, body)
  expect(operation).toMatchObject({ domain: null, approval: { state: 'pending' } })
  await decide(operation, true)
  expect((await finished(operation.id)).state).toBe('succeeded')
  expect((await onCard(cplc)).instance).toBeDefined()
})

test('what Grove knows about the card’s other domains is kept', async () => {
  const { id } = await uploaded()
  const other = await uploaded({
    aid: 'D27600008502',
    applets: [{ aid: 'D2760000850201', name: 'Other' }],
  })
  const cplc = await delegated()
  await give(cplc, { purpose: 'token', kind: 'AES' })
  const first = await ask(other.id, { kind: 'install', elements: [cplc], domain: undefined })
  expect((await finished(first.id)).state).toBe('succeeded')
  const second = await ask(id, { kind: 'install', elements: [cplc] })
  await decide(second, true)
  expect(await finished(second.id)).toMatchObject({ state: 'succeeded' })
  const { items } = (await applets.send('GET', `se/applets?cplc=${cplc}`)).json<{
    items: { packageAid: string }[]
  }>()
  expect(items.map((each) => each.packageAid)).toEqual(
    expect.arrayContaining(['D27600008502', packageAid]),
  )
})
