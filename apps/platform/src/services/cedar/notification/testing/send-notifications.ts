import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import Fastify from 'fastify'
import { sql } from 'kysely'
import type { Actor } from '../../../../core/actor.ts'
import { readConfig } from '../../../../core/config.ts'
import { openDatabase } from '../../../../core/database/database.ts'
import { migrate } from '../../../../core/database/migrate.ts'
import { runJobs } from '../../../../core/jobs/platform-jobs.ts'
import { openFolderObjects } from '../../../../core/objects/folder-objects.ts'
import type { Platform } from '../../../../core/platform.ts'
import { apiVersionsOf, migrationsOf } from '../../../../core/service.ts'
import { cedar } from '../../index.ts'
import { createProduct } from '../../product/product.service.ts'
import { composeNotification } from '../notification.service.ts'

// Sends what is due on the database at the given URL or folder, to a webhook. Given a number of
// devices, it first composes a notification to that many. It prints that notification's progress.
const [url, folder = '', hook = '', devices] = process.argv.slice(2)
const database = await openDatabase({ url: url === '' ? undefined : url, folder })
await migrate(database.db, migrationsOf([cedar]))
const platform: Platform = {
  config: readConfig({ GROVE_DATA: folder, GROVE_LOG: 'silent' }),
  env: {
    GROVE_PUSH_WEBHOOK_URL: hook,
    GROVE_PUSH_WEBHOOK_SECRET: 'a-secret-of-thirty-two-characters-or-more',
  },
  database,
  db: database.db,
  objects: await openFolderObjects(join(folder, 'objects')),
  mailer: null,
  now: Date.now,
  apiVersions: apiVersionsOf([cedar]),
  services: [cedar.name],
  jobs: { hasRecurring: false, pollMs: 50, beatMs: 100, leaseMs: 1000 },
}

if (devices !== undefined) {
  const context = await cedar.open(platform)
  const origin = { requestId: 'test', ip: '127.0.0.1', userAgent: 'test' }
  const actor: Actor = { id: randomUUID(), roles: ['DEVELOPER'], sessionId: undefined, origin }
  const translations = [{ localeCode: 'en-US' as const, title: 'Tides' }]
  const { productId } = await createProduct(context, actor, { translations })
  await sql`
    insert into cedar.push_device (product_id, token, platform, locale_code, app_version)
    select ${productId}::uuid, 'token-' || n, 'android', 'en-US', '{1,0,0}'
    from generate_series(1, ${Number(devices)}::integer) n`.execute(context.db)
  await composeNotification(context, actor, {
    productId,
    translations: [{ localeCode: 'en-US', title: 'High water', body: 'At five' }],
  })
}
await runJobs(Fastify(), platform, [cedar])
console.log('ready')
const state = async () => {
  const { rows } = await sql<{ state: string; sent: number; failed: number }>`
    select state, sent, failed from cedar.notification`.execute(database.db)
  return rows[0]
}
for (let last = ''; ;) {
  const found = JSON.stringify(await state())
  if (found !== last) console.log(found)
  last = found
  await new Promise((resolve) => setTimeout(resolve, 50))
}
