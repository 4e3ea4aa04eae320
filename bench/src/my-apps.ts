import { sql } from 'kysely'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { percentile } from './support/statistics.ts'

const budgetMs = 50
const versionsPerProduct = 10
const warmUpRounds = 2

export const myApps: Benchmark = {
  name: 'my-apps',
  title: 'My apps of one developer, one call at a time',
  how: '`GET /api/developer/product` over HTTP with the token of a developer whose provider has all the apps, each with ten versions, on PostgreSQL (256 MB of shared buffers, no waiting for the disk). Groups are sorts × filters × first, second and deep pages, and searches. The budget is held against the group with the largest p95.',
  run: async (bench) => {
    const products = bench.isQuick ? 500 : 10_000
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const env = { GROVE_DATA: await bench.folder('my-apps'), DATABASE_URL: server.url }
    const platform = await startPlatform(bench, env)
    const send = createSend(platform.url)
    const headers = createSignIn(send, 'developer')
    const [{ id: providerId }] = jsonOf(
      await send('GET', '/api/provider', { headers: await headers() }),
    ) as [{ id: string }]
    await fill(env, providerId, products, bench)
    const groups = await measure(send, headers, bench)
    await platform.stop()
    return { rows: rowsOf(groups, products) }
  },
}

/** Rows as the service writes them; a hundred thousand calls would measure nothing more. */
async function fill(
  env: { GROVE_DATA: string; DATABASE_URL: string },
  providerId: string,
  products: number,
  { say }: BenchContext,
) {
  say(`filling ${products} apps with ${products * versionsPerProduct} versions`)
  const { db, close } = await openDatabase({ url: env.DATABASE_URL, folder: env.GROVE_DATA })
  const titles = sql`jsonb_build_array(jsonb_build_object('localeCode', 'en-US', 'title', title))`
  await sql`
    insert into cedar.product (id, provider_id, translations, sort_title, search_text,
      version_count, created_at, updated_at)
    select gen_random_uuid(), ${providerId}, ${titles}, lower(title), lower(title),
      ${versionsPerProduct}, now() - at * interval '1 minute', now() - at * interval '7 seconds'
    from (select at, 'App ' || md5(at::text) as title from generate_series(1, ${products}) at) named
  `.execute(db)
  await sql`
    insert into cedar.product_version (id, product_id, major, minor, patch, translations, search_text)
    select gen_random_uuid(), p.id, 1, n, 0, p.translations, p.search_text
    from cedar.product p, generate_series(0, ${versionsPerProduct - 1}) n
    where p.provider_id = ${providerId} and p.version_count = ${versionsPerProduct}`.execute(db)
  await sql`vacuum analyze cedar.product, cedar.product_version`.execute(db)
  await close()
}

interface Group {
  name: string
  samples: number[]
}

const views = ['title', 'updatedAt', 'createdAt'].flatMap((sort) =>
  ['', '&status=draft', '&status=live', '&q=a', '&q=no such app'].map(
    (filter) => `sort=${sort}${filter}`,
  ),
)
const deepPages = 20

async function measure(
  send: Send,
  signIn: () => Promise<{ authorization: string }>,
  { isQuick, say }: BenchContext,
): Promise<Group[]> {
  const groups = new Map<string, Group>()
  const rounds = isQuick ? 3 : 60
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    if (round % 20 === 0) say(`round ${round} of ${rounds}`)
    for (const view of views) {
      let cursor = ''
      for (let page = 1; page <= deepPages; page += 1) {
        const answer = await send('GET', `/api/developer/product?limit=50&${view}${cursor}`, {
          headers: await signIn(),
        })
        const { items, next }: { items: unknown[]; next: string | null } = jsonOf(answer)
        if (page === 1 && items.length === 0 && view.endsWith('updatedAt'))
          throw new Error('There are no apps.')
        const place = page === 1 ? 'first page' : page === 2 ? 'second page' : 'deep page'
        const name = `${place}, ${view}`
        const group = groups.get(name) ?? { name, samples: [] }
        groups.set(name, group)
        if (round >= 0) group.samples.push(answer.milliseconds)
        if (next === null) break
        cursor = `&cursor=${encodeURIComponent(next)}`
      }
    }
  }
  return [...groups.values()]
}

function rowsOf(groups: readonly Group[], products: number): Row[] {
  const all = groups.flatMap(({ samples }) => samples)
  const [worst] = groups.toSorted(
    (a, b) => percentile(b.samples, 0.95) - percentile(a.samples, 0.95),
  )
  if (!worst) throw new Error('There are no groups.')
  const of = `${products} apps, ${products * versionsPerProduct} versions`
  return [
    row('all groups, p50', percentile(all, 0.5), 'ms', { note: `${groups.length} groups, ${of}` }),
    row('all groups, p95', percentile(all, 0.95), 'ms'),
    row('worst group, p95', percentile(worst.samples, 0.95), 'ms', {
      budget: { atMost: budgetMs },
      note: worst.name,
    }),
  ]
}
