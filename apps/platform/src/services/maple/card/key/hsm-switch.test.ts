import { randomUUID } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Calls } from '@grove/contract/calls'
import type { Problem } from '@grove/contract/shapes'
import type { ResponseOf } from '@grove/contract/call'
import type { SecureElement } from '@grove/contract/maple/fleet/element'
import type { KeyCustody } from '@grove/contract/maple/card/key.rules'
import { ProblemError } from '../../../../core/http/problem.ts'
import {
  endModules,
  hasSoftHsm,
  startSoftHsm,
  type SoftHsm,
} from '../../../../core/testing/soft-hsm.ts'
import { startSessionServer, type SessionServer } from '../session/testing/session-server.ts'
import { forgetLabel, forgetLeftovers, noteLabel } from './hsm-leftovers.ts'
import type { HsmProvider } from './key-provider.ts'
import { requestActor } from './request-actor.ts'
import { rotate } from './rotate.ts'
import { rotationJob } from './rotation-job.ts'
import { countInHsm } from './rewrap.ts'
import { writeStep } from './rotation.queries.ts'

const needs = '(needs softhsm2)'
let soft: SoftHsm
let server: SessionServer
beforeAll(async () => {
  if (!hasSoftHsm) return
  soft = await startSoftHsm()
  server = await startSessionServer({ env: soft.env })
})
afterAll(async () => {
  await server?.close()
  await soft?.close()
})

type Keys = ResponseOf<Calls['GET /api/maple/se/keys']>

const call = async <Body>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  payload?: object,
  headers = server.admin,
): Promise<Body & Problem> => {
  const answer = await server.app.inject({
    method,
    url: `/api/maple/${url}`,
    headers,
    ...(payload && { payload }),
  })
  return answer.statusCode === 204 ? ({} as Body & Problem) : answer.json()
}
const read = (cplc: string) => call<Keys>('GET', `se/keys?cplc=${cplc}`)
const elementOf = async (cplc: string) =>
  (await call<{ items: SecureElement[] }>('GET', `se/element?cplc=${cplc}`)).items[0]

function hsmOf(): HsmProvider {
  const { hsm } = server.context.keys
  if (!hsm) throw new Error('an HSM is set')
  return hsm
}

/** Requested by one person and approved by two others. */
async function switchTo(cplc: string, enable: boolean): Promise<void> {
  const { approvals } = await call<SecureElement>('POST', 'se/hsm', { cplc, enable })
  const id = approvals[0]?.id ?? ''
  for (const officer of [await server.bearer(['ADMIN']), await server.bearer(['ADMIN'])])
    await call('PUT', `approvals?id=${id}`, { isApproved: true }, officer)
}

/** A rotation that is written down and not run, as after a kill before its first step. */
async function asked(cplc: string, custody: KeyCustody): Promise<string> {
  const set = (await read(cplc)).items.find(({ state }) => state === 'active')
  const id = randomUUID()
  const journal = JSON.stringify([{ step: 'asked', at: new Date().toISOString(), note: null }])
  await sql`insert into maple.key_rotation (id, cplc, old_set, custody, old_version, new_version, step, journal, created_by)
    values (${id}, ${cplc}, ${set?.id ?? ''}, ${custody}, ${set?.version ?? 0}, ${set?.version ?? 0}, 'asked', ${journal}::jsonb, 'somebody')`.execute(
    server.db,
  )
  return id
}
const run = (id: string, context = server.context) =>
  rotate(context, requestActor('somebody', id), id)

async function opens(cplc: string): Promise<string> {
  const { id } = await server.open(cplc)
  await server.command(id, 'MplSelect')
  const { state, problem } = (await server.channel(id, '03')).body
  await server.ask('POST', `/${id}/end`)
  return problem?.code ?? state
}

async function putKeys(cplc: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select id from maple.session where cplc = ${cplc} order by opened_at`.execute(server.db)
  let count = 0
  for (const { id } of rows)
    for (const { command } of (await server.exchanges(id)).items)
      if (command?.slice(2, 4) === 'D8') count++
  return count
}

async function leftovers(): Promise<string[]> {
  const { rows } = await sql<{ label: string }>`select label from maple.hsm_leftover`.execute(
    server.db,
  )
  return rows.map(({ label }) => label)
}

const tokens = () => join(soft.folder, 'tokens')
let isAway = false
/** Takes the token away from the module, like a broken cable. */
async function away(): Promise<void> {
  await rename(tokens(), `${tokens()}-away`)
  isAway = true
}
async function back(): Promise<void> {
  if (isAway) await rename(`${tokens()}-away`, tokens())
  isAway = false
}
afterEach(back)

describe.runIf(hasSoftHsm)('the keys of an element', () => {
  test(`move into the HSM and back after two people approved ${needs}`, async () => {
    const cplc = await server.card()
    await switchTo(cplc, true)
    await expect.poll(async () => (await elementOf(cplc))?.hsm, { timeout: 20_000 }).toBe(true)
    expect((await read(cplc)).items).toMatchObject([
      { state: 'active', custody: 'hsm', origin: 'generated' },
      { state: 'retired', custody: 'vault' },
    ])
    expect(await opens(cplc)).toBe('done')
    expect(await putKeys(cplc)).toBe(1)
    const { rows } = await sql`select 1 from maple.key_set
      where cplc = ${cplc} and (sealed_keys is not null or wrapped_key is not null)`.execute(
      server.db,
    )
    expect(rows).toEqual([])
    expect(await countInHsm(server.context.db)).toBeGreaterThan(0)

    await switchTo(cplc, false)
    await expect.poll(async () => (await elementOf(cplc))?.hsm, { timeout: 20_000 }).toBe(false)
    expect((await read(cplc)).items.map(({ state, custody }) => `${custody} ${state}`)).toEqual([
      'vault active',
      'hsm retired',
      'vault retired',
    ])
    expect(await opens(cplc)).toBe('done')
    expect(await putKeys(cplc)).toBe(2)
    await expect.poll(leftovers).toEqual([])
  })

  test.each([
    ['SCP03', 'hsm'],
    ['SCP02', 'hsm'],
  ] as const)(`rotate within the HSM with %s ${needs}`, async (protocol, custody) => {
    const cplc = await server.card({ protocol })
    await run(await asked(cplc, custody))
    await run(await asked(cplc, custody))
    expect((await read(cplc)).items.map(({ state, custody: at }) => `${at} ${state}`)).toEqual([
      'hsm active',
      'hsm retired',
      'vault retired',
    ])
    expect(await opens(cplc)).toBe('done')
    expect(await leftovers()).toEqual([])
  })

  describe.each([
    ['SCP03', 'hsm'],
    ['SCP02', 'hsm'],
    ['SCP03', 'vault'],
  ] as const)('of %s on their way to the %s', (protocol, custody) => {
    test.each([1, 2, 3, 4])(`survive a power cut before write %i ${needs}`, async (write) => {
      const cplc = await server.card({ protocol })
      if (custody === 'vault') await run(await asked(cplc, 'hsm'))
      const before = await putKeys(cplc)
      const id = await asked(cplc, custody)
      await server.breakCard(cplc, { powerCutBeforeWrite: write })
      await run(id).catch(() => {})
      await server.breakCard(cplc, {})
      if ((await read(cplc)).rotation?.step === 'unknown') await run(id).catch(() => {})
      const ends = { 1: 'failed', 2: 'rolledBack' } as Record<number, string>
      const end = ends[write] ?? 'committed'
      const { rotation, items } = await read(cplc)
      expect(rotation?.step).toBe(end)
      const active = items.filter(({ state }) => state === 'active')
      const wasThere = custody === 'vault' ? 'hsm' : 'vault'
      expect(active.map((set) => set.custody)).toEqual([end === 'committed' ? custody : wasThere])
      expect(await opens(cplc)).toBe('done')
      expect((await putKeys(cplc)) - before).toBe(write === 1 ? 0 : 1)
      expect(await leftovers()).toEqual([])
    })
  })

  test(`stay in place while the HSM is unavailable ${needs}`, async () => {
    const cplc = await server.card()
    await endModules()
    await away()
    const id = await asked(cplc, 'hsm')
    await expect(run(id)).rejects.toMatchObject({ code: 'not_sent', isFinal: true })
    const { items, rotation } = await read(cplc)
    expect(items).toMatchObject([{ state: 'active', custody: 'vault' }])
    expect(rotation).toMatchObject({ step: 'failed' })
    expect(rotation?.journal.at(-1)).toMatchObject({
      note: expect.stringContaining('HSM') as string,
      cause: 'hsm_unavailable',
    })
    expect(await opens(cplc)).toBe('done')
    expect(await putKeys(cplc)).toBe(0)
    await back()
    await run(await asked(cplc, 'hsm'))
    expect((await read(cplc)).items[0]).toMatchObject({ state: 'active', custody: 'hsm' })
  })

  test(`in the HSM are unreachable while it is unavailable, and the element is not blocked ${needs}`, async () => {
    const cplc = await server.card()
    await run(await asked(cplc, 'hsm'))
    await endModules()
    await away()
    expect(await opens(cplc)).toBe('hsm_unavailable')
    expect((await call<{ hsm: object }>('GET', 'about')).hsm).toEqual({
      isReachable: false,
      problem: 'hsm_unavailable',
    })
    expect(await read(cplc)).toMatchObject({ hasHsm: true, hsmProblem: 'hsm_unavailable' })
    expect((await read(await server.card())).hsmProblem).toBe(null)
    // Rotating away from it is refused as well, and changes nothing.
    const id = await asked(cplc, 'vault')
    await expect(run(id)).rejects.toMatchObject({ code: 'not_sent' })
    expect((await elementOf(cplc))?.state).not.toBe('blocked')
    await back()
    expect(await opens(cplc)).toBe('done')
    expect((await read(cplc)).hsmProblem).toBe(null)
  })

  test(`stay in place when the token is full ${needs}`, async () => {
    const cplc = await server.card()
    // SoftHSM has no limit.
    const hsm: HsmProvider = {
      ...hsmOf(),
      keep: () => Promise.reject(new ProblemError('hsm_full', 'The HSM has no room.')),
    }
    const keys = { ...server.context.keys, hsm }
    await expect(run(await asked(cplc, 'hsm'), { ...server.context, keys })).rejects.toMatchObject({
      code: 'not_sent',
      message: 'The HSM has no room.',
    })
    expect((await read(cplc)).items).toMatchObject([{ state: 'active', custody: 'vault' }])
    expect(await opens(cplc)).toBe('done')
    expect(await putKeys(cplc)).toBe(0)
  })

  test(`are sent at most once by two concurrent runs of one job ${needs}`, async () => {
    const cplc = await server.card()
    const id = await asked(cplc, 'hsm')
    await Promise.allSettled([run(id), run(id)])
    const { rotation, items } = await read(cplc)
    const isDone = rotation?.step === 'committed'
    expect(isDone || rotation?.step === 'failed').toBe(true)
    expect(await putKeys(cplc)).toBe(isDone ? 1 : 0)
    expect(items.filter(({ state }) => state === 'active')).toMatchObject([
      { custody: isDone ? 'hsm' : 'vault' },
    ])
    expect(await opens(cplc)).toBe('done')
  })

  test(`are committed once, whatever a later run of the job assumes ${needs}`, async () => {
    const cplc = await server.card()
    const id = await asked(cplc, 'hsm')
    await run(id)
    const before = await read(cplc)
    const at = new Date().toISOString()
    for (const step of ['failed', 'rolledBack', 'unknown'] as const)
      for (const from of [['asked'], ['sending', 'sent', 'unknown']] as const)
        expect(await writeStep(server.context.db, id, { step, from, at })).toBe(false)
    await rotationJob.run(server.context, { id }, jobRun)
    expect(await read(cplc)).toEqual(before)
    expect(await opens(cplc)).toBe('done')
    expect(await putKeys(cplc)).toBe(1)
  })

  test(`imported later are kept with the others, and shown nowhere ${needs}`, async () => {
    const cplc = await server.card()
    await run(await asked(cplc, 'hsm'))
    const key = '101112131415161718191A1B1C1D1E1F'
    const set = await call<Keys['items'][number]>('POST', 'se/keys', {
      cplc,
      version: 7,
      protocol: 'SCP03',
      keys: { enc: key, mac: key, dek: key },
    })
    expect(set).toMatchObject({ custody: 'hsm', version: 7 })
    for (const table of ['event', 'job', 'key_rotation', 'key_set', 'hsm_leftover']) {
      const { rows } = await sql<{ row: string }>`
        select to_jsonb(t)::text as row from ${sql.table(`maple.${table}`)} as t`.execute(server.db)
      for (const { row } of rows) {
        expect(row.toUpperCase()).not.toContain(key)
        expect(row).not.toContain(soft.pin)
      }
    }
    // A second import of the version fails, and leaves nothing in the token.
    const before = await leftovers()
    const again = { cplc, version: 7, protocol: 'SCP03', keys: { enc: key, mac: key, dek: key } }
    expect(await call('POST', 'se/keys', again)).toMatchObject({ code: 'already_exists' })
    await call('DELETE', `se/keys?id=${set.id}`)
    expect(await leftovers()).toEqual(before)
  })

  test(`of a row moved to another element open nothing ${needs}`, async () => {
    const [from, to] = [await server.card(), await server.card()]
    await run(await asked(from, 'hsm'))
    await sql`delete from maple.key_rotation where cplc in (${from}, ${to})`.execute(server.db)
    await sql`delete from maple.key_set where cplc = ${to}`.execute(server.db)
    await sql`update maple.key_set set cplc = ${to}
      where cplc = ${from} and state = 'active'`.execute(server.db)
    expect(await opens(to)).toBe('hsm_key_missing')
  })

  test(`that no row needs are destroyed by a job ${needs} @long`, async () => {
    const cplc = await server.card()
    await run(await asked(cplc, 'hsm'))
    const { db } = server.context
    const { rows } = await sql<{ label: string }>`select hsm_label as label from maple.key_set
      where cplc = ${cplc} and state = 'active'`.execute(db)
    const label = rows[0]?.label ?? ''
    // A key in use is never destroyed, whatever the table says.
    await noteLabel(db, label)
    await forgetLabel(server.context, label)
    expect(await opens(cplc)).toBe('done')
    // The element is deleted with its rows while the HSM is unavailable.
    await endModules()
    await away()
    await sql`delete from maple.key_rotation where cplc = ${cplc}`.execute(db)
    await sql`delete from maple.key_set where cplc = ${cplc}`.execute(db)
    await forgetLabel(server.context, label)
    expect(await leftovers()).toContain(label)
    await back()
    const { signal } = new AbortController()
    await forgetLeftovers(server.context, signal)
    expect(await leftovers()).toContain(label)
    await sql`update maple.hsm_leftover set since = now() - interval '2 hours'`.execute(db)
    await expect
      .poll(
        async () => {
          await forgetLeftovers(server.context, signal)
          return leftovers()
        },
        { timeout: 20_000 },
      )
      .toEqual([])
  })
})

const jobRun = {
  id: '',
  attempt: 1,
  createdAt: '',
  signal: new AbortController().signal,
  progress: () => {},
}
