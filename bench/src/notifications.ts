import { sql } from 'kysely'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import type { Product } from '@grove/contract/cedar/product'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { percentile } from './support/statistics.ts'

const budgetMs = 50
const warmUpRounds = 2
const length = 50
const partSize = 250_000
/** The time range over which they are spread: most of a year. */
const secondsOfAll = 30_000_000

export const notifications: Benchmark = {
  name: 'notifications',
  title: 'History of notifications, one call at a time',
  how: `\`GET /api/notification\` over HTTP with an administrator’s token, ${length} a page, on PostgreSQL (256 MB of shared buffers, no waiting for the disk). All notifications are of one app, spread over 347 days. Groups are the scopes (everyone’s, a provider’s, an app’s) × all of them or ninety days × the first, the second, a page in the middle and the last. The budget is held against the group with the largest p95.`,
  run: async (bench) => {
    const count = bench.isQuick ? 20_000 : 10_000_000
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const env = { GROVE_DATA: await bench.folder('notifications'), DATABASE_URL: server.url }
    const platform = await startPlatform(bench, env)
    const send = createSend(platform.url)
    const ofDeveloper = await createSignIn(send, 'developer')()
    const { items }: { items: Product[] } = jsonOf(
      await send('GET', '/api/developer/product', { headers: ofDeveloper }),
    )
    const [app] = items
    if (!app) throw new Error('The sample has no app.')
    await fill(env, app, count, bench)
    const groups = await measure(send, createSignIn(send, 'admin'), { app, count, bench })
    await platform.stop()
    return { rows: rowsOf(groups, count) }
  },
}

/** Rows and counts as the service writes them. */
async function fill(
  env: { GROVE_DATA: string; DATABASE_URL: string },
  { productId, providerId }: Product,
  count: number,
  { say }: BenchContext,
) {
  say(`filling ${count} notifications`)
  const { db, close } = await openDatabase({ url: env.DATABASE_URL, folder: env.GROVE_DATA })
  const text = { localeCode: 'en-US', title: 'Rain', body: 'Rain is coming within the hour.' }
  // In chunks that finish within the statement timeout.
  for (let first = 1; first <= count; first += partSize)
    await sql`
      insert into cedar.notification (id, product_id, provider_id, state, translations, audience, at,
        is_scheduled, transport, devices, sent, delivered, opened)
      select gen_random_uuid(), ${productId}, ${providerId}, 'sent', ${JSON.stringify([text])},
        '{}', now() - n * make_interval(secs => ${secondsOfAll / count}), false, 'webhook', 10, 10, 8, 2
      from generate_series(${first}::integer, ${Math.min(count, first + partSize - 1)}::integer) n
    `.execute(db)
  for (const scope of [productId, providerId, '00000000-0000-0000-0000-000000000000'])
    await sql`
      insert into cedar.notification_hour (scope_id, hour, notifications, sent, delivered, opened)
      select ${scope}, date_trunc('hour', at, 'UTC'), count(*), sum(sent), sum(delivered), sum(opened)
      from cedar.notification group by 2
      on conflict (scope_id, hour) do nothing`.execute(db)
  await sql`vacuum analyze cedar.notification, cedar.notification_hour`.execute(db)
  await close()
}

interface Group {
  name: string
  samples: number[]
}

interface Measured {
  app: Product
  count: number
  bench: BenchContext
}

async function measure(
  send: Send,
  signIn: () => Promise<{ authorization: string }>,
  { app, bench: { isQuick, say } }: Measured,
): Promise<Group[]> {
  const day = 24 * 3600_000
  const dates = new URLSearchParams({
    fromDate: new Date(Date.now() - 91 * day).toISOString(),
    toDate: new Date(Date.now() - day).toISOString(),
  })
  const views = ['', `&providerId=${app.providerId}`, `&productId=${app.productId}`].flatMap(
    (scope) => [scope, `${scope}&${dates}`],
  )
  const groups = new Map<string, Group>()
  const rounds = isQuick ? 3 : 60
  const read = async (query: string) => {
    const answer = await send('GET', `/api/notification?length=${length}${query}`, {
      headers: await signIn(),
    })
    const { items, total }: { items: unknown[]; total: number } = jsonOf(answer)
    return { items, total, milliseconds: answer.milliseconds }
  }
  for (const [index, view] of views.entries()) {
    const { total } = await read(view)
    const offsets = [0, length, Math.floor(total / 2), Math.max(0, total - length)]
    say(`${index + 1} of ${views.length}: ${total} notifications`)
    for (let round = -warmUpRounds; round < rounds; round += 1)
      for (const [at, from] of offsets.entries()) {
        const { items, milliseconds } = await read(`${view}&from=${from}`)
        if (items.length === 0) throw new Error(`There is nothing at ${from} of ${total}.`)
        const place = ['first', 'second', 'middle', 'last'][at] ?? ''
        const scope = ['everyone’s', 'a provider’s', 'an app’s'][Math.floor(index / 2)] ?? ''
        const name = `${place} page of ${scope}${index % 2 === 0 ? '' : ', ninety days'}`
        const group = groups.get(name) ?? { name, samples: [] }
        groups.set(name, group)
        if (round >= 0) group.samples.push(milliseconds)
      }
  }
  return [...groups.values()]
}

function rowsOf(groups: readonly Group[], count: number): Row[] {
  const all = groups.flatMap(({ samples }) => samples)
  const [worst] = groups.toSorted(
    (a, b) => percentile(b.samples, 0.95) - percentile(a.samples, 0.95),
  )
  if (!worst) throw new Error('There are no groups.')
  return [
    row('all groups, p50', percentile(all, 0.5), 'ms', {
      note: `${groups.length} groups, ${count} notifications`,
    }),
    row('all groups, p95', percentile(all, 0.95), 'ms'),
    row('worst group, p95', percentile(worst.samples, 0.95), 'ms', {
      budget: { atMost: budgetMs },
      note: worst.name,
    }),
  ]
}
