import { sql } from 'kysely'
import { expect, inject, test, vi } from 'vitest'
import type { CardState } from '@grove/secure-element/card/card-state'
import { createJobQueue } from '../../../../core/jobs/job-queue.ts'
import { runScript } from '../../../../core/testing/run-script.ts'
import { mapleJobs, type MapleJobs } from '../../jobs.ts'
import { startSessionServer } from '../session/testing/session-server.ts'
import { createOperation, listTargets } from './operation.service.ts'
import { createAppletClient } from './testing/applet-client.ts'

const script = new URL('./testing/run-operations.ts', import.meta.url)
const patience = { timeout: 60_000, interval: 10 }

// The embedded database has one process; what remains to be tested is that another one continues.
test.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'kill -9 in the middle of an operation: another process finishes it, and no element has the applet twice',
  async () => {
    const server = await startSessionServer({ jobs: { pollMs: 1e9, hasRecurring: false } })
    const { db, platform } = server
    const { id } = await createAppletClient(server, server.admin).uploaded()
    const cplcs: string[] = []
    for (let count = 0; count < 6; count++) cplcs.push(await server.card())
    for (const cplc of cplcs) await server.breakCard(cplc, { delay: 40 })
    const jobs = createJobQueue<MapleJobs>(
      { db: platform.db, schema: 'maple', passedMs: () => 0 },
      mapleJobs,
      { secret: async () => '', nudge: () => {} },
    )
    const origin = { requestId: '', ip: '', userAgent: '' }
    const actor = { id: server.adminId, roles: ['ADMIN'], sessionId: undefined, origin }
    const wanted = { id, kind: 'install', elements: cplcs } as const
    const operation = await createOperation({ ...server.context, jobs }, actor, wanted)
    const targets = async () =>
      (await listTargets(server.context, actor, { id: operation.id, limit: 200 })).items

    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const url = Object.assign(new URL(inject('postgresUrl')), {
      pathname: `/${rows[0]?.name}`,
    }).href
    const { dataFolder } = platform.config
    const first = runScript(script, url, dataFolder)
    await first.firstLine
    await vi.waitFor(
      async () => expect((await targets()).some(({ step }) => step === 'load')).toBe(true),
      patience,
    )
    first.child.kill('SIGKILL')
    await first.exited
    const begun = (await targets()).filter(({ state }) => state === 'running')
    expect(begun.length).toBeGreaterThan(0)

    const second = runScript(script, url, dataFolder)
    await second.firstLine
    await vi.waitFor(
      async () => expect((await targets()).every(({ finishedAt }) => finishedAt)).toBe(true),
      patience,
    )
    second.child.kill('SIGKILL')
    await second.exited
    for (const target of await targets()) {
      const { cplc } = target
      expect(target).toMatchObject({ cplc, state: 'succeeded' })
      const was = begun.find((each) => each.cplc === cplc)
      const isDoubtful = was?.step === 'load' || was?.step === 'install'
      // The response to the killed process's current command is lost.
      expect([cplc, target.findings.some(({ code }) => code === 'no_answer')]).toEqual([
        cplc,
        isDoubtful,
      ])
      const cards = await sql<{ state: CardState }>`
        select state from maple.software_card where cplc = ${cplc}`.execute(db)
      const card = cards.rows[0]?.state ?? expect.fail('no card')
      expect([
        card.loadFiles.filter(({ isFactory }) => !isFactory).length,
        card.applications.length,
      ]).toEqual([1, 1])
      const installs = await sql<{ count: number }>`
        select count(*) as count from maple.exchange as exchange
        join maple.session as session on session.id = exchange.session_id
        where session.cplc = ${cplc} and exchange.status_word = ${0x9000}
          and encode(exchange.command, 'hex') like '__e60c%'`.execute(db)
      expect([cplc, Number(installs.rows[0]?.count)]).toEqual([cplc, 1])
    }
    await server.close()
  },
  180_000,
)
