import { createHash } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage } from '../../apps/platform/src/services/cedar/package/check-package.ts'
import { defaultPackageLimits } from '../../apps/platform/src/services/cedar/package/package-limits.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { startPlatform, type ServerProcess } from './support/server-process.ts'
import { median } from './support/statistics.ts'
import { createUploader, type Uploader } from './support/uploader.ts'
import { samplePackage } from './support/sample-package.ts'
import type { Workshop } from './support/workshop.ts'

const atOnce = 8
const megabyte = 1_000_000

export const upload: Benchmark = {
  name: 'upload',
  title: 'Upload',
  how: `\`POST /api/storage/productVersion/miniApp\` with a valid package near the limit of 20 MB (seventeen images that do not compress, four scripts), multipart over one open connection, against the same bytes written to a file in the same folder in pieces of 64 kB, hashed by SHA-256 and synced, in turns; medians. The upload also inflates and checks every file of the package: \`checkPackage\` alone is timed on the same file, and its time taken off for the second share. Memory: resident size of the server, looked at every 10 ms, ${atOnce} uploads at once, largest with packages near 20 MB less largest with packages of 5 MB.`,
  run: async (workshop) => {
    const server = await startPlatform({ GROVE_DATA: await workshop.folder('upload') })
    try {
      const uploader = await createUploader(server.url, atOnce)
      return {
        rows: [
          ...(await memoryRows(workshop, server, uploader)),
          ...(await throughputRows(workshop, uploader)),
        ],
      }
    } finally {
      await server.stop()
    }
  },
}

async function throughputRows(workshop: Workshop, { send }: Uploader): Promise<Row[]> {
  const folder = await workshop.folder('write')
  const rounds: { bytes: number; upload: number; write: number; check: number }[] = []
  for (let round = -1; round < (workshop.isQuick ? 3 : 15); round += 1) {
    const data = samplePackage('large')
    const file = join(folder, `${round}.zip`)
    const write = await timed(() => writeAndHash(file, data))
    const check = await timed(async () => {
      const { ok } = await checkPackage(file, defaultPackageLimits)
      if (!ok) throw new Error('The sample package is not valid.')
    })
    await rm(file)
    const upload = await send(0, data)
    if (round >= 0) rounds.push({ bytes: data.length, upload, write, check })
  }
  const speed = (of: 'upload' | 'write') =>
    median(rounds.map((round) => round.bytes / megabyte / (round[of] / 1000)))
  const time = (of: 'upload' | 'write' | 'check') => median(rounds.map((round) => round[of]))
  const share = median(rounds.map(({ write, upload }) => (write / upload) * 100))
  const unchecked = median(
    rounds.map(({ write, upload, check }) => (write / (upload - check)) * 100),
  )
  return [
    row('upload', speed('upload'), 'MB/s', { note: `${time('upload').toFixed(0)} ms a package` }),
    row('write, sync and hash', speed('write'), 'MB/s', {
      note: `${time('write').toFixed(0)} ms; checking the package alone takes ${time('check').toFixed(0)} ms`,
    }),
    row('upload against write and hash', share, '%', { budget: { atLeast: 70 } }),
    row('the same without the time of the zip check', unchecked, '%', { budget: { atLeast: 70 } }),
  ]
}

async function memoryRows(
  { isQuick }: Workshop,
  server: ServerProcess,
  { send }: Uploader,
): Promise<Row[]> {
  if ((await server.memory()) === undefined) return []
  const rounds = isQuick ? 2 : 6
  const largest = async (size: 'small' | 'large') => {
    const data = samplePackage(size)
    const watch = watchMemory(server)
    for (let round = 0; round < rounds; round += 1)
      await Promise.all(Array.from({ length: atOnce }, (_, place) => send(place, data)))
    return watch.stop()
  }
  await largest('small')
  const small = await largest('small')
  const large = await largest('large')
  return [
    row('memory for larger packages', large - small, 'MB', {
      // One package: were they held in memory, it would be eight times the difference in size.
      budget: { atMost: 20 },
      note: `${large.toFixed(0)} MB with packages near 20 MB, ${small.toFixed(0)} MB with 5 MB, ${atOnce} at once`,
    }),
  ]
}

function watchMemory(server: ServerProcess) {
  let largest = 0
  const timer = setInterval(
    () => void server.memory().then((now = 0) => (largest = Math.max(largest, now))),
    10,
  )
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

async function timed(task: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await task()
  return performance.now() - started
}
