import { openDatabase } from '../../../../../core/database/database.ts'
import { openEgress } from '../../../../../core/egress/egress.ts'
import { openSandbox } from '../../../../../core/sandbox/open-sandbox.ts'
import { openKeys } from '../../../card/key/open-keys.ts'
import { readSettings } from '../../../base/settings.ts'
import type { MapleTables } from '../../../base/tables.ts'
import { openHandlerRunner, runnerPace } from '../handler-runner.ts'

// A process that runs the deliveries of a database, until it is killed.
const [url = '', folder = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url, folder })
const settings = readSettings(process.env, { dataFolder: folder })
const runner = openHandlerRunner(
  {
    db: db.withTables<MapleTables>(),
    now: Date.now,
    keys: openKeys(settings),
    sandbox: openSandbox(),
    egress: openEgress(settings.egress),
  },
  { ...runnerPace, lookMs: 20, roundMs: 100, leaseMs: 2000 },
)
runner.start((fields, message) => console.error(message, fields))
// The runner's timers do not keep a process alive.
setInterval(() => {}, 1000)
console.log('running')
