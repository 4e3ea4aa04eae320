import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { build } from '../../scripts/workspace.mjs'
import { agentBenchmark } from './agents.ts'
import { appletBenchmark } from './applet.ts'
import { cardCallBenchmark } from './card-calls.ts'
import { authClientSize } from './auth-client-size.ts'
import { backupBenchmark } from './backup.ts'
import type { Benchmark } from './benchmark.ts'
import { directus } from './directus.ts'
import { exchangeBenchmark } from './exchanges.ts'
import { fairnessBenchmark } from './fairness/fairness.ts'
import { feelBeside } from './fairness/feel-beside.ts'
import { feel } from './feel.ts'
import { importBenchmark } from './import.ts'
import { largest } from './largest.ts'
import { intakeBenchmark } from './intake.ts'
import { linkPage } from './link-page.ts'
import { listLatency } from './list-latency.ts'
import { listThroughput } from './list-throughput.ts'
import { mapleLists } from './maple-lists.ts'
import { myApps } from './my-apps.ts'
import { notificationSending } from './notification-sending.ts'
import { notifications } from './notifications.ts'
import { pagesBenchmark } from './pages.ts'
import { peersBenchmark } from './peers/peers.ts'
import { presenceBenchmark } from './presence.ts'
import { preview } from './preview.ts'
import { print, write } from './report.ts'
import { refresh } from './refresh.ts'
import { scale } from './scale.ts'
import { scp } from './scp.ts'
import { sessionBenchmark } from './sessions.ts'
import { scriptBenchmark } from './script-start.ts'
import { signIns } from './sign-ins.ts'
import { sessionLog } from './session-log.ts'
import { sizing } from './sizing.ts'
import { soak } from './soak.ts'
import { start } from './start.ts'
import { stormsBenchmark } from './storms.ts'
import { openBenchContext, type Settings } from './support/bench-context.ts'
import { telemetryBenchmark } from './telemetry.ts'
import { tidyBenchmark } from './tidy.ts'
import { upload } from './upload.ts'
import { verification } from './verification.ts'

const benchmarks = [
  pagesBenchmark,
  feel,
  sessionLog,
  authClientSize,
  peersBenchmark,
  listLatency,
  listThroughput,
  mapleLists,
  largest,
  importBenchmark,
  intakeBenchmark,
  backupBenchmark,
  appletBenchmark,
  cardCallBenchmark,
  linkPage,
  myApps,
  notifications,
  notificationSending,
  preview,
  upload,
  signIns,
  verification,
  refresh,
  scp,
  scriptBenchmark,
  sessionBenchmark,
  exchangeBenchmark,
  fairnessBenchmark,
  feelBeside,
  agentBenchmark,
  presenceBenchmark,
  telemetryBenchmark,
  tidyBenchmark,
  directus,
  stormsBenchmark,
  scale,
  sizing,
  soak,
  start,
]

const help = `Measures Grove beside its budgets and writes bench/RESULTS.md.

  npm run bench -- [name…] [--quick] [--devices N] [--database URL] [--cold]

${benchmarks.map(({ name, title }) => `  ${name.padEnd(12)}${title}`).join('\n')}

  --quick      Few samples and 20,000 devices: shows that it works; writes nothing.
  --devices N  The size of the fleet, 1,000,000 when left out.
  --exchanges N  The size of the log, 100,000,000 when left out, for \`exchanges\`.
  --database URL  A PostgreSQL that holds that fleet already, for \`largest\`.
  --cold       Also start a fresh clone of the commit, for \`start\`.`

async function main(): Promise<void> {
  const { chosen, settings } = readArguments()
  build()
  warnOfLoad()
  const bench = openBenchContext(settings)
  const stop = () => {
    console.log('\nStopping.')
    process.exitCode = 130
    void bench.close().finally(() => process.exit(130))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    for (const benchmark of chosen) {
      console.log(`\n${benchmark.title}`)
      const figures = await benchmark.run(bench)
      print(figures)
      if (!settings.isQuick) write(benchmark, figures, benchmarks)
    }
  } finally {
    await bench.close()
  }
}

function warnOfLoad(): void {
  const [load = 0] = loadavg()
  if (load > availableParallelism() / 2)
    console.log(
      `The machine is busy (load ${load.toFixed(1)}): figures will be worse than Grove is.`,
    )
}

function readArguments(): { chosen: Benchmark[]; settings: Settings } {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      devices: { type: 'string' },
      exchanges: { type: 'string' },
      database: { type: 'string' },
      cold: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const unknown = positionals.filter((name) => !benchmarks.some((each) => each.name === name))
  const devices = Number(values.devices ?? (values.quick ? 20_000 : 1_000_000))
  const exchanges = Number(values.exchanges ?? 100_000_000)
  if (
    values.help ||
    unknown.length > 0 ||
    ![devices, exchanges].every((size) => Number.isSafeInteger(size) && size > 0)
  ) {
    if (unknown.length > 0) console.error(`There is no benchmark ${unknown.join(', ')}.\n`)
    console.log(help)
    process.exit(values.help ? 0 : 1)
  }
  const chosen = benchmarks.filter(({ name, isLong }) =>
    positionals.length === 0 ? !isLong : positionals.includes(name),
  )
  const { quick: isQuick, cold: isCold, database } = values
  return {
    chosen,
    settings: { isQuick, devices, exchanges, isCold, ...(database && { database }) },
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    // Aborted ones fail too; only genuine failures are reported.
    if (process.exitCode === 130) process.exit()
    console.error(error)
    process.exit(1)
  },
)
