import { commandDatabaseUrl, readConfig } from '../core/config.ts'
import { openDatabase } from '../core/database/database.ts'
import { migrate } from '../core/database/migrate.ts'
import { loadEnvironment } from '../core/settings/load-environment.ts'
import { StartupError } from '../core/startup-error.ts'
import { migrationsOf } from '../core/service.ts'
import type { MapleContext } from '../services/maple/base/context.ts'
import { maple } from '../services/maple/index.ts'
import type { MapleTables } from '../services/maple/base/tables.ts'
import { help, readArguments } from './fleet-arguments.ts'
import { duration, progressLine, progressWriter } from './fleet-progress.ts'
import { fillFleet } from './fleet.ts'

async function main(): Promise<void> {
  const devices = readArguments(process.argv.slice(2))
  if (devices === 'help') return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  if (config.isProduction)
    throw new StartupError('GROVE_ENV is production: sample devices do not belong there.')
  const database = await openDatabase({
    url: commandDatabaseUrl(config),
    folder: config.dataFolder,
  })
  try {
    await migrate(database.db, migrationsOf([maple]))
    await fill({ db: database.db.withTables<MapleTables>(), now: Date.now }, devices)
  } finally {
    await database.close()
  }
}

async function fill(context: MapleContext, devices: number): Promise<void> {
  const progress = progressWriter(process.stdout)
  const signal = stopSignal()
  const started = Date.now()
  let reached = 0
  const added = await fillFleet(context, {
    devices,
    signal,
    onProgress(done, newOnes) {
      reached = done
      progress.show(progressLine(done, devices, newOnes, Date.now() - started))
    },
  })
  progress.end()
  const time = duration(Math.round((Date.now() - started) / 1000))
  if (signal.aborted && reached < devices) {
    console.log(`Stopped at ${reached} of ${devices} devices; run it again to continue.`)
    process.exitCode = 130
  } else {
    console.log(`${devices} sample devices are there; ${added} are new (${time}).`)
  }
}

/** Aborted by the first Ctrl-C; the second quits immediately, which the database survives too. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}

main().catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exit(1)
})
