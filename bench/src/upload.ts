import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage } from '../../apps/platform/src/services/cedar/package/check-package.ts'
import { defaultPackageLimits } from '../../apps/platform/src/services/cedar/package/package-limits.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { samplePackage } from './support/sample-package.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { median } from './support/statistics.ts'
import { createUploader, type Uploader } from './support/uploader.ts'
import type { BenchContext } from './support/bench-context.ts'

const atOnce = 8
const megabyte = 1_000_000

export const upload: Benchmark = {
  name: 'upload',
  title: 'Upload',
  how: `\`POST /api/storage/productVersion/miniApp\` with a valid package near the limit of 20 MB (seventeen images that do not compress, four scripts), multipart over one open connection, against the same bytes written to a file on the same disk in pieces of 64 kB, hashed by SHA-256 and synced, in turns; medians. An upload also inflates and checks every file of the package. The second share is of the same bytes with the zip’s end record blanked: the server receives, hashes, stores and syncs them alike, then refuses them at once. \`checkPackage\` alone is timed on the same file. Memory: resident size of the server, looked at every 10 ms, ${atOnce} uploads at once, largest with packages near 20 MB less largest with packages of 5 MB.`,
  run: async (bench) => {
    const server = await startPlatform(bench, { GROVE_DATA: await bench.folder('upload') })
    try {
      const uploader = await createUploader(server.url, atOnce)
      const memory = await memoryRows(bench, server, uploader)
      return { rows: [...(await throughputRows(bench, uploader)), ...memory] }
    } finally {
      await server.stop()
    }
  },
}

type Round = Record<'bytes' | 'write' | 'check' | 'upload' | 'unchecked', number>

async function throughputRows(bench: BenchContext, { send }: Uploader): Promise<Row[]> {
  const folder = await bench.folder('write')
  const rounds: Round[] = []
  for (let round = -2; round < (bench.isQuick ? 3 : 21); round += 1) {
    const data = samplePackage('large')
    const file = join(folder, `${round}.zip`)
    const write = await timed(() => writeAndHash(file, data))
    const check = await timed(async () => {
      const { ok } = await checkPackage(file, defaultPackageLimits)
      if (!ok) throw new Error('The sample package is not valid.')
    })
    await rm(file)
    const upload = await send(0, data)
    const unchecked = await send(0, withoutEndRecord(data), false)
    // The first rounds warm up.
    if (round >= 0) rounds.push({ bytes: data.length, write, check, upload, unchecked })
  }
  const time = (of: keyof Round) => median(rounds.map((round) => round[of]))
  const speed = (of: keyof Round) => time('bytes') / megabyte / (time(of) / 1000)
  const share = (of: keyof Round) => median(rounds.map((round) => (round.write / round[of]) * 100))
  const budget = { atLeast: 70 }
  return [
    row('upload', speed('upload'), 'MB/s', {
      note: `${time('upload').toFixed(0)} ms a package; checking it alone takes ${time('check').toFixed(0)} ms`,
    }),
    row('upload of what is no zip', speed('unchecked'), 'MB/s', {
      note: `${time('unchecked').toFixed(0)} ms`,
    }),
    row('write, hash and sync', speed('write'), 'MB/s', { note: `${time('write').toFixed(0)} ms` }),
    row('upload against write, hash and sync', share('upload'), '%', { budget }),
    row('the same without the zip check', share('unchecked'), '%', { budget }),
  ]
}

async function memoryRows(
  { isQuick }: BenchContext,
  server: ServerProcess,
  { send }: Uploader,
): Promise<Row[]> {
  const idle = await server.memory()
  // Measured where the system has /proc.
  if (idle === undefined) return []
  const largest = async (size: 'small' | 'large') => {
    const data = samplePackage(size)
    const watch = watchMemory(server)
    for (let round = 0; round < (isQuick ? 2 : 8); round += 1)
      await Promise.all(Array.from({ length: atOnce }, (_, place) => send(place, data)))
    return watch.stop()
  }
  await largest('small')
  const small = await largest('small')
  const large = await largest('large')
  return [
    row('memory of larger packages', large - small, 'MB', {
      // One package. Were they held in memory, it would be eight times the difference in size.
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

async function writeAndHash(path: string, data: Buffer): Promise<void> {
  const hash = createHash('sha256')
  const file = await open(path, 'wx')
  for (let at = 0; at < data.length; at += 65_536) {
    const piece = data.subarray(at, at + 65_536)
    hash.update(piece)
    await file.write(piece)
  }
  await file.sync()
  await file.close()
  hash.digest()
}

const endRecordBytes = 22
const withoutEndRecord = (data: Buffer) => Buffer.from(data).fill(0, data.length - endRecordBytes)

async function timed(task: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await task()
  return performance.now() - started
}
