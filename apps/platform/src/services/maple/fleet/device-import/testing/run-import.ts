import { openDatabase } from '../../../../../core/database/database.ts'
import { migrate } from '../../../../../core/database/migrate.ts'
import { startJobRunner, runnerSettings } from '../../../../../core/jobs/job-runner.ts'
import { createJobQueue } from '../../../../../core/jobs/job-queue.ts'
import { openFolderObjects } from '../../../../../core/objects/folder-objects.ts'
import type { RolloutServiceContext } from '../../../rollout/context.ts'
import { migrationsOf } from '../../../../../core/service.ts'
import { openSandbox } from '../../../../../core/sandbox/open-sandbox.ts'
import { openSnapshots } from '../../../base/export/snapshot.ts'
import { maple } from '../../../index.ts'
import { openKeys } from '../../../card/key/open-keys.ts'
import { virtualTransport } from '../../../card/session/transport/virtual.ts'
import { readSettings } from '../../../base/settings.ts'
import { openDeviceHub } from '../../../connect/gateway/device-hub.ts'
import { openReaderHub } from '../../../card/reader/reader-hub.ts'
import { openSessionHub } from '../../../card/session/session-hub.ts'
import { mapleJobs, type MapleJobs } from '../../../jobs.ts'
import { telemetryStore } from '../../../connect/telemetry/telemetry-store.ts'
import type { MapleTables } from '../../../base/tables.ts'

// Runs the imports of the given database and objects, until it is killed.
const [url = '', folder = '', objectsFolder = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url: url === '' ? undefined : url, folder })
await migrate(db, migrationsOf([maple]))
const store = { db, schema: 'maple', passedMs: () => 0 }
const secret = async () => ''
const settings = readSettings({}, { dataFolder: folder })
const mapleDb = db.withTables<MapleTables>()
const context: RolloutServiceContext = {
  db: mapleDb,
  telemetry: telemetryStore(mapleDb, undefined),
  now: Date.now,
  objects: await openFolderObjects(objectsFolder),
  settings,
  keys: openKeys(settings),
  jobs: createJobQueue<MapleJobs>(store, mapleJobs, { secret, nudge: () => {} }),
  importBatchRows: 100,
  exportSecret: '',
  readSnapshot: openSnapshots(url !== ''),
  sessionSecret: '',
  readers: openReaderHub(),
  sandbox: openSandbox(),
  devices: openDeviceHub(),
  transports: [virtualTransport],
  sessions: openSessionHub({ db: mapleDb, now: Date.now }, { isAlone: url === '' }),
}
startJobRunner([{ store, definitions: mapleJobs, context }], {
  ...runnerSettings,
  pollMs: 50,
  beatMs: 100,
  leaseMs: 1000,
  hasRecurring: false,
  secret,
  warn: () => {},
})
console.log('ready')
