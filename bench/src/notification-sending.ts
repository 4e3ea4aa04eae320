import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { openDatabase } from '../../apps/platform/src/core/database/database.ts'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import type { Notification } from '@grove/contract/cedar/notification'
import type { Product } from '@grove/contract/cedar/product'
import { row, type Benchmark } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform, startServer } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const connections = 32
const text = { localeCode: 'en-US', title: 'Rain', body: 'Rain is coming within the hour.' }

export const notificationSending: Benchmark = {
  name: 'notification-sending',
  title: 'Sending a notification to 100,000 devices',
  how: `From the call that composes it until the service says that it is sent, on PostgreSQL (no waiting for the disk), through the FCM transport: a request a message over ${connections} connections, to a local server in a process of its own that takes all. Against a loop in a third process that posts a body of the same size to the same server over as many connections. In turns; the share is the median of each round’s share.`,
  run: async (bench) => {
    const count = bench.isQuick ? 5000 : 100_000
    const push = await startServer(
      bench,
      'bench/src/support/push-server.ts',
      {},
      /Push server: (\S+)/,
    )
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const env = { GROVE_DATA: await bench.folder('sending'), DATABASE_URL: server.url }
    const platform = await startPlatform(bench, {
      ...env,
      GROVE_FCM_ACCOUNT: accountOf(push.url),
      GROVE_FCM_URL: push.url,
      GROVE_PUSH_CONNECTIONS: String(connections),
    })
    const send = createSend(platform.url)
    const signIn = createSignIn(send, 'developer')
    const { items }: { items: Product[] } = jsonOf(
      await send('GET', '/api/developer/product', { headers: await signIn() }),
    )
    const [app] = items
    if (!app) throw new Error('The sample has no app.')
    await fill(env, app, count)

    const sendAll = async (): Promise<number> => {
      const body = { productId: app.productId, translations: [text] }
      const started = performance.now()
      const { id }: Notification = jsonOf(
        await send('POST', '/api/notification', { headers: await signIn(), body }),
      )
      for (;;) {
        await wait(20)
        const read = await send('GET', `/api/notification/${id}`, { headers: await signIn() })
        const { state, sent, failed }: Notification = jsonOf(read)
        if (state === 'scheduled' || state === 'sending') continue
        const taken = performance.now() - started
        if (sent !== count) throw new Error(`${sent} of ${count} were sent, ${failed} failed.`)
        return taken
      }
    }
    const bare = () => bareLoop(bench, push.url, count)

    const rounds: { ours: number; theirs: number }[] = []
    for (let round = -1; round < (bench.isQuick ? 2 : 5); round += 1) {
      const isFirst = round % 2 === 0
      const first = isFirst ? await sendAll() : await bare()
      const second = isFirst ? await bare() : await sendAll()
      const [ours, theirs] = isFirst ? [first, second] : [second, first]
      bench.say(`${count} messages: ${ours.toFixed(0)} ms, bare loop ${theirs.toFixed(0)} ms`)
      if (round >= 0) rounds.push({ ours, theirs })
    }
    const rate = (of: 'ours' | 'theirs') => (count / median(rounds.map((r) => r[of]))) * 1000
    await platform.stop()
    await push.stop()
    return {
      rows: [
        row('messages handed over', rate('ours'), '/s', { note: `${count} devices` }),
        row('bare HTTP loop', rate('theirs'), '/s'),
        row(
          'sending against a bare loop',
          median(rounds.map(({ ours, theirs }) => (theirs / ours) * 100)),
          '%',
          { budget: { atLeast: 60 } },
        ),
      ],
    }
  },
}

function accountOf(url: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return JSON.stringify({
    project_id: 'bench',
    client_email: 'bench@grove.test',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${url}/token`,
  })
}

/** Devices as the service registers them. */
async function fill(
  env: { GROVE_DATA: string; DATABASE_URL: string },
  { productId }: Product,
  count: number,
) {
  const { db, close } = await openDatabase({ url: env.DATABASE_URL, folder: env.GROVE_DATA })
  // The length of FCM's tokens.
  await sql`
    insert into cedar.push_device (product_id, token, platform, locale_code, app_version)
    select ${productId}::uuid, rpad('token-' || n || '-', 163, 'x'),
      (array['android', 'ios'])[1 + n % 2], 'en-US', '{1,0,0}'
    from generate_series(1, ${count}::integer) n`.execute(db)
  await sql`vacuum analyze cedar.push_device`.execute(db)
  await close()
}

/** Duration of the bare loop. */
async function bareLoop(bench: BenchContext, url: string, count: number): Promise<number> {
  // The size of what the service sends.
  const body = JSON.stringify({ message: { token: 'x'.repeat(163), filler: 'x'.repeat(500) } })
  const loop = await startServer(
    bench,
    'bench/src/support/bare-sender.ts',
    {
      TO: `${url}/v1/projects/bench/messages:send`,
      COUNT: String(count),
      CONNECTIONS: String(connections),
      BODY: body,
    },
    /Bare loop: (\S+)/,
  )
  await loop.stop()
  return Number(loop.url)
}
