import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { beginCheck } from '../../apps/platform/src/services/cedar/package/package-checker.ts'
import { defaultPackageLimits } from '../../apps/platform/src/services/cedar/package/package-limits.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { createSend } from './support/http-client.ts'
import { packageOfManyFiles, packedFiles, samplePackage } from './support/sample-package.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { median } from './support/statistics.ts'
import { createUploader, type Uploader } from './support/uploader.ts'
import type { BenchContext } from './support/bench-context.ts'

// Uploads in parallel, for the memory of a process.
const atOnce = 4
const megabyte = 1_000_000

export const upload: Benchmark = {
  name: 'upload',
  title: 'Upload',
  how: `\`POST /api/storage/productVersion/miniApp\` with a valid package near the limit of 20 MB (seventeen images that do not compress, four scripts), multipart over one open connection, against one core that writes the same bytes to a file on the same disk in pieces of 64 kB, hashes them by SHA-256, syncs the file and inflates every file in it, in turns; medians. An upload also checks every file, and writes and hashes the archive anew. Processor time: that of all threads of the server for an upload, against that of this process for hashing the same bytes, inflating every file in them and deflating it again. Other requests: \`GET /healthz\` every two milliseconds on a connection of its own while a package is uploaded, the longest of each upload, median. The check is that of the thread alone, from the first byte to the report, of a package of the most files allowed. Memory: resident size of the server, looked at every 10 ms, ${atOnce} uploads at once, largest with packages near 20 MB less largest with packages of 5 MB.`,
  run: async (bench) => {
    const server = await startPlatform(bench, { GROVE_DATA: await bench.folder('upload') })
    try {
      const uploader = await createUploader(server.url, atOnce)
      const memory = await memoryRows(bench, server, uploader)
      return {
        rows: [
          ...(await throughputRows(bench, uploader, server)),
          await manyFilesRow(bench),
          ...memory,
        ],
      }
    } finally {
      await server.stop()
    }
  },
}

type Round = Record<
  'bytes' | 'core' | 'coreWork' | 'leastWork' | 'check' | 'upload' | 'work' | 'longest' | 'quiet',
  number
>

async function throughputRows(
  bench: BenchContext,
  { send }: Uploader,
  { url, processorTime }: ServerProcess,
): Promise<Row[]> {
  const folder = await bench.folder('write')
  const rounds: Round[] = []
  for (let round = -2; round < (bench.isQuick ? 3 : 11); round += 1) {
    const data = samplePackage('large')
    const file = join(folder, `${round}.zip`)
    const before = process.cpuUsage()
    const core = timed(() => writeHashInflate(file, data))
    const coreWork = workSince(before)
    const beforeLeast = process.cpuUsage()
    hashInflateDeflate(data)
    const leastWork = workSince(beforeLeast)
    const check = await checkApart(file)
    await rm(file)
    const quiet = await maxPing(url, () => setTimeout(check))
    const started = await processorTime()
    const upload = await send(0, data)
    const work = ((await processorTime()) ?? 0) - (started ?? 0)
    const longest = await maxPing(url, () => send(0, data))
    // The first rounds warm up.
    if (round < 0) continue
    const bytes = data.length
    rounds.push({ bytes, core, coreWork, leastWork, check, upload, work, longest, quiet })
  }
  const time = (of: keyof Round) => median(rounds.map((round) => round[of]))
  const speed = (of: keyof Round) => time('bytes') / megabyte / (time(of) / 1000)
  const slowest = Math.max(...rounds.map(({ longest }) => longest))
  return [
    row('upload', speed('upload'), 'MB/s', {
      note: `${time('upload').toFixed(0)} ms a package; processor time ${time('work').toFixed(0)} ms; checking it takes ${time('check').toFixed(0)} ms`,
    }),
    row('one core: write, hash, sync and inflate', speed('core'), 'MB/s', {
      note: `${time('core').toFixed(0)} ms; processor time ${time('coreWork').toFixed(0)} ms`,
    }),
    row(
      'upload against one core',
      median(rounds.map(({ core, upload }) => (core / upload) * 100)),
      '%',
      { budget: { atLeast: 60 } },
    ),
    row(
      'processor time of an upload against hashing, inflating and deflating',
      median(rounds.map(({ leastWork, work }) => work / leastWork)),
      '×',
      {
        budget: { atMost: 2.2 },
        note: `${time('work').toFixed(0)} ms against ${time('leastWork').toFixed(0)} ms`,
      },
    ),
    row('longest wait of another request', time('longest'), 'ms', {
      budget: { atMost: 20 },
      note: `during an upload; without one ${time('quiet').toFixed(1)} ms; longest of all ${slowest.toFixed(0)} ms`,
    }),
  ]
}

async function manyFilesRow(bench: BenchContext): Promise<Row> {
  const file = join(await bench.folder('many'), 'many.zip')
  await writeFile(file, packageOfManyFiles())
  const times: number[] = []
  for (let round = -1; round < (bench.isQuick ? 1 : 9); round += 1) {
    const time = await checkApart(file)
    if (round >= 0) times.push(time)
  }
  return row(`check of ${defaultPackageLimits.files} files`, median(times) / 1000, 's', {
    budget: { atMost: 1 },
  })
}

/** Duration of the check in its thread. */
async function checkApart(file: string): Promise<number> {
  const started = performance.now()
  const check = beginCheck(defaultPackageLimits)
  try {
    const { ok } = await check.report(file)
    if (!ok) throw new Error('The sample package is not valid.')
    return performance.now() - started
  } finally {
    check.close()
  }
}

/** The longest request while the task ran. */
async function maxPing(url: string, task: () => Promise<unknown>): Promise<number> {
  const send = createSend(url)
  const ended = new AbortController()
  let longest = 0
  const pinging = (async () => {
    while (!ended.signal.aborted) {
      longest = Math.max(longest, (await send('GET', '/healthz')).milliseconds)
      await setTimeout(2)
    }
  })()
  await task()
  ended.abort()
  await pinging
  return longest
}

async function memoryRows(
  { isQuick }: BenchContext,
  server: ServerProcess,
  { send }: Uploader,
): Promise<Row[]> {
  const idle = await server.memory()
  // Measured if the system has /proc.
  if (idle === undefined) return []
  const largest = async (size: 'small' | 'large') => {
    const data = samplePackage(size)
    const watch = watchMemory(server)
    for (let round = 0; round < (isQuick ? 2 : 4); round += 1)
      await Promise.all(Array.from({ length: atOnce }, (_, place) => send(place, data)))
    return watch.stop()
  }
  await largest('small')
  const small = await largest('small')
  const large = await largest('large')
  return [
    row('memory of larger packages', large - small, 'MB', {
      // One package. If packages were buffered in memory, it would be four times the difference in
      // size.
      budget: { atMost: 20 },
      note: `${atOnce} at once: ${large.toFixed(0)} MB with packages near 20 MB, ${small.toFixed(0)} MB with 5 MB; ${idle.toFixed(0)} MB idle`,
    }),
  ]
}

function watchMemory(server: ServerProcess) {
  let largest = 0
  const look = async () => {
    largest = Math.max(largest, (await server.memory()) ?? 0)
  }
  const timer = setInterval(() => void look(), 10)
  return {
    stop: () => {
      clearInterval(timer)
      return largest
    },
  }
}

/** Processor time of this process in ms. */
function workSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The minimum work of any upload: its hash, every file, and the archive rebuilt from them. */
function hashInflateDeflate(data: Buffer): void {
  createHash('sha256').update(data).digest()
  for (const packed of packedFiles(data)) deflateRawSync(inflateRawSync(packed))
}

/** The minimum work of an upload, step by step. */
function writeHashInflate(path: string, data: Buffer): void {
  const hash = createHash('sha256')
  const file = openSync(path, 'wx')
  for (let at = 0; at < data.length; at += 65_536) {
    const piece = data.subarray(at, at + 65_536)
    hash.update(piece)
    writeSync(file, piece)
  }
  fsyncSync(file)
  closeSync(file)
  hash.digest()
  for (const packed of packedFiles(data)) inflateRawSync(packed)
}

function timed(task: () => void): number {
  const started = performance.now()
  task()
  return performance.now() - started
}
