import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root, step } from '../../scripts/workspace.mjs'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { median } from './support/statistics.ts'
import { childEnvironment } from './support/server-process.ts'
import type { BenchContext } from './support/bench-context.ts'

export const start: Benchmark = {
  name: 'start',
  title: 'Start',
  how: '`npm start`, from its call to the line that says Grove is ready. First: on an empty data folder, packages installed and console built. Warm: on the folder of an earlier start, median. Cold: in a fresh clone of the commit, with `npm ci`, the build and the first start, the packages already in npm’s cache.',
  run: async (bench) => {
    const folder = await bench.folder('start')
    const first = await timeStart(root, folder)
    const warm: number[] = []
    for (let round = 0; round < (bench.isQuick ? 1 : 5); round += 1)
      warm.push((await timeStart(root, folder)).seconds)
    const rows = [
      row('first start', first.seconds, 's', {
        note: ['with the sample workspace made', ...stepsOf(first.output)].join(', '),
      }),
      row('warm start', median(warm), 's', {
        budget: { atMost: 3 },
        note: `median of ${warm.length}, slowest ${Math.max(...warm).toFixed(2)} s`,
      }),
    ]
    if (bench.isCold) rows.push(await coldStart(bench))
    return { rows }
  },
}

async function coldStart(bench: BenchContext): Promise<Row> {
  const clone = join(await bench.folder('clone'), 'grove')
  step('Cloning', 'git', ['clone', '--quiet', root, clone])
  const { seconds, output } = await timeStart(clone, join(clone, '.grove'))
  return row('cold start of a fresh clone', seconds, 's', {
    budget: { atMost: 90 },
    note: stepsOf(output).join(', '),
  })
}

/** The steps before the server runs, from the output of scripts/workspace.mjs. */
const stepsOf = (output: string) =>
  [...output.matchAll(/^(.+) … done \(([\d.]+) s\)$/gm)].map(
    ([, name, time]) => `${name?.toLowerCase()} ${time} s`,
  )

async function timeStart(cwd: string, data: string) {
  const started = performance.now()
  // A separate process group, so that it can be ended as a whole, as by Ctrl-C.
  const child = spawn('npm', ['start'], {
    cwd,
    env: childEnvironment({ GROVE_PORT: '0', GROVE_DATA: data }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const signal = (name: NodeJS.Signals) => child.pid !== undefined && process.kill(-child.pid, name)
  const kill = () => void signal('SIGKILL')
  process.once('exit', kill)
  let output = ''
  const closed = once(child, 'close').finally(() => process.off('exit', kill))
  const seconds = await new Promise<number>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Grove is ready: ')) resolve((performance.now() - started) / 1000)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)))
  })
  signal('SIGINT')
  // Wait until the last process of the group closes the output: then the data folder is free.
  await closed
  return { seconds, output }
}
