// The baseline of the authenticated list: a bare Fastify route that runs the same query. No token, no
// validation, no response schema, no hooks.
import Fastify from 'fastify'
import { processActor } from '../../../apps/platform/src/core/actor.ts'
import { openDatabase } from '../../../apps/platform/src/core/database/database.ts'
import { listDevices } from '../../../apps/platform/src/services/maple/fleet/device/device-list.service.ts'
import type { MapleTables } from '../../../apps/platform/src/services/maple/base/tables.ts'

const database = await openDatabase({
  url: process.env['DATABASE_URL'] || undefined,
  folder: process.env['GROVE_DATA'] ?? '',
})
const context = { db: database.db.withTables<MapleTables>() }
const anyone = processActor('bench')
const app = Fastify()
app.get('/', (request) => {
  const { limit } = request.query as { limit: string }
  return listDevices({ ...context, now: Date.now }, anyone, { limit: Number(limit) })
})
const address = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`Bare server: ${address}`)

process.once('SIGTERM', () => {
  // The load has ended: whatever is still open is idle.
  app.server.closeAllConnections()
  void app
    .close()
    .then(database.close)
    .then(() => process.exit(0))
})
