import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import { errorsOf, sumOf } from '@grove/contract/maple/rollout/rollout.rules'
import type { CardState } from '@grove/secure-element/card/card-state'
import { createJobQueue } from '../../../core/jobs/job-queue.ts'
import { runScript } from '../../../core/testing/run-script.ts'
import { createAppletClient } from '../card/applet/testing/applet-client.ts'
import { mapleJobs, type MapleJobs } from '../jobs.ts'
import { startSessionServer } from '../card/session/testing/session-server.ts'
import { createRollout, readRollout, retryRollout, startRollout } from './rollout.service.ts'
import { createRolloutClient, groupOf, planWith } from './testing/rollout-client.ts'

const script = new URL('../card/applet/testing/run-operations.ts', import.meta.url)
const patience = { timeout: 60_000, interval: 10 }

// The embedded database has one process; what remains to be tested is that another one continues.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'kill -9 in the middle of a rollout and of its retry: others continue, and no device is lost, counted or served twice',
  async () => {
    const server = await startSessionServer({ jobs: { pollMs: 1e9, hasRecurring: false } })
    const { db, platform } = server
    const { id: appletId } = await createAppletClient(server, server.admin).uploaded()
    const cplcs: string[] = []
    for (let count = 0; count < 10; count++) cplcs.push(await server.card())
    for (const cplc of cplcs) await server.breakCard(cplc, { delay: 40 })
    await sql`update maple.device set tags = array['kill']`.execute(db)
    const jobs = createJobQueue<MapleJobs>(
      { db: platform.db, schema: 'maple', passedMs: () => 0 },
      mapleJobs,
      { secret: async () => '', nudge: () => {} },
    )
    const origin = { requestId: '', ip: '', userAgent: '' }
    const actor = { id: server.adminId, roles: ['ADMIN'], sessionId: undefined, origin }
    const context = { ...server.context, jobs }
    const { id } = await createRollout(context, actor, {
      name: 'Killed',
      program: { kind: 'applet', id: appletId, input: { action: 'install' } },
      targets: { filter: { tag: 'kill' } },
      plan: planWith({ groups: [groupOf({ success: 0, errorShare: 100 })] }),
    })
    await startRollout(context, actor, { id })
    const rollouts = createRolloutClient(server, server.admin)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${rows[0]?.name}`,
    }).href
    const { dataFolder } = platform.config

    const errorsIn = async (of: string) =>
      errorsOf(sumOf((await readRollout(context, actor, { id: of })).groups))

    // A process dies while its devices are working, and another one takes over.
    const first = runScript(script, url, dataFolder)
    await first.firstLine
    await vi.waitFor(async () => {
      const { groups } = await readRollout(context, actor, { id })
      expect(groups[0]?.running).toBeGreaterThan(1)
      const { rows: sent } = await sql<{ count: number }>`
        select count(*)::int as count from maple.exchange`.execute(db)
      expect(sent[0]?.count).toBeGreaterThan(12)
    }, patience)
    first.child.kill('SIGKILL')
    await first.exited
    const begun = await rollouts.executions(id, '&state=running')
    expect(begun.length).toBeGreaterThan(0)
    const second = runScript(script, url, dataFolder)
    await second.firstLine
    await vi.waitFor(
      async () => expect((await readRollout(context, actor, { id })).state).toBe('finished'),
      patience,
    )

    const [group] = (await readRollout(context, actor, { id })).groups
    const executions = await rollouts.executions(id)
    const count = (state: string) => executions.filter((each) => each.state === state).length
    expect([group?.total, executions.length]).toEqual([10, 10])
    expect([group?.succeeded, group?.failed]).toEqual([count('succeeded'), count('failed')])
    expect(count('succeeded') + count('failed')).toBe(10)
    // The killed process's current devices count as failed, with their sessions, and ran once.
    const unknown = executions.filter(({ cause }) => cause === 'unknown')
    expect(unknown.length).toBeGreaterThan(0)
    for (const { deviceId, sessionId, attempts } of unknown) {
      expect(begun.map((each) => each.deviceId)).toContain(deviceId)
      expect([attempts, sessionId]).toEqual([1, expect.any(String)])
    }
    expect(await rollouts.causes(id)).toEqual([
      { cause: 'unknown', state: 'failed', count: unknown.length, groups: [1] },
    ])

    // A person retries them, and the process dies again in the middle. The card is read first, so
    // that nothing is there twice.
    const before = (await readRollout(context, actor, { id })).groups
    let left = id
    let last = second
    for (let rounds = 0; (await errorsIn(left)) > 0; rounds++) {
      const retry = await retryRollout(context, actor, { id: left })
      await startRollout(context, actor, { id: retry.id })
      if (rounds === 0) {
        await vi.waitFor(
          async () => expect(await rollouts.executions(retry.id, '&state=running')).not.toEqual([]),
          patience,
        )
        last.child.kill('SIGKILL')
        await last.exited
        last = runScript(script, url, dataFolder)
        await last.firstLine
      }
      await vi.waitFor(
        async () =>
          expect((await readRollout(context, actor, { id: retry.id })).state).toBe('finished'),
        patience,
      )
      const retried = (await readRollout(context, actor, { id: retry.id })).groups[0]
      expect(retried?.total).toBe(await errorsIn(left))
      left = retry.id
      expect(rounds).toBeLessThan(5)
    }
    last.child.kill('SIGKILL')
    await last.exited
    expect((await readRollout(context, actor, { id })).groups).toEqual(before)
    for (const cplc of cplcs) {
      const cards = await sql<{ state: CardState }>`
        select state from maple.software_card where cplc = ${cplc}`.execute(db)
      const card = cards.rows[0]?.state ?? expect.fail('no card')
      expect([
        card.loadFiles.filter(({ isFactory }) => !isFactory).length,
        card.applications.length,
      ]).toEqual([1, 1])
    }
    await server.close()
  },
  180_000,
)
