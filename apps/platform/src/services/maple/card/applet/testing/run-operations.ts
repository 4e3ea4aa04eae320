import { openDatabase } from '../../../../../core/database/database.ts'
import { startJobRunner, runnerSettings } from '../../../../../core/jobs/job-runner.ts'
import { createJobQueue } from '../../../../../core/jobs/job-queue.ts'
import { openFolderObjects } from '../../../../../core/objects/folder-objects.ts'
import { openSandbox } from '../../../../../core/sandbox/open-sandbox.ts'
import { openSnapshots } from '../../../base/export/snapshot.ts'
import { openDeviceHub } from '../../../connect/gateway/device-hub.ts'
import type { RolloutServiceContext } from '../../../rollout/context.ts'
import { mapleJobs, type MapleJobs } from '../../../jobs.ts'
import { openKeys } from '../../key/open-keys.ts'
import { openReaderHub } from '../../reader/reader-hub.ts'
import { openSessionHub } from '../../session/session-hub.ts'
import { virtualTransport } from '../../session/transport/virtual.ts'
import { readSettings } from '../../../base/settings.ts'
import { telemetryStore } from '../../../connect/telemetry/telemetry-store.ts'
import type { MapleTables } from '../../../base/tables.ts'

// A process that runs the operations of a database and its data folder, until it is killed.
const [url = '', folder = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url, folder })
const store = { db, schema: 'maple', passedMs: () => 0 }
const secret = async () => ''
const settings = readSettings({}, { dataFolder: folder })
const mapleDb = db.withTables<MapleTables>()
const context: RolloutServiceContext = {
  db: mapleDb,
  telemetry: telemetryStore(mapleDb, undefined),
  now: Date.now,
  objects: await openFolderObjects(`${folder}/objects`),
  settings,
  keys: openKeys(settings),
  jobs: createJobQueue<MapleJobs>(store, mapleJobs, { secret, nudge: () => {} }),
  importBatchRows: 100,
  exportSecret: '',
  sessionSecret: '',
  readSnapshot: openSnapshots(true),
  readers: openReaderHub(),
  devices: openDeviceHub(),
  transports: [virtualTransport],
  sandbox: openSandbox(),
  // A killed process loses its sessions before it loses its job, as with the settings of a server.
  sessions: openSessionHub(
    { db: mapleDb, now: Date.now },
    { isAlone: false, settings: { leaseMs: 3000, beatMs: 500 } },
  ),
}
context.sessions.start(() => {})
startJobRunner([{ store, definitions: mapleJobs, context }], {
  ...runnerSettings,
  pollMs: 50,
  beatMs: 100,
  leaseMs: 6000,
  hasRecurring: false,
  secret,
  warn: () => {},
})
console.log('ready')
