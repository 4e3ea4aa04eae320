// Run as a child process: checks the package given as its argument and prints its memory use.
import { checkPackage } from '../check-package.ts'
import { defaultPackageLimits } from '../package-limits.ts'

const [warmUp = '', file = ''] = process.argv.slice(2)
await checkPackage(warmUp, defaultPackageLimits)

// Collect first: live memory counts, not garbage.
const { gc } = globalThis
if (!gc) throw new Error('run with --expose-gc')
// Buffers are freed concurrently, at the latest before the next collection.
const collect = () => {
  gc()
  gc()
}
collect()
const before = process.memoryUsage()
let rss = 0
let buffers = 0
const sampling = setInterval(() => {
  collect()
  const now = process.memoryUsage()
  rss = Math.max(rss, now.rss - before.rss)
  buffers = Math.max(buffers, now.arrayBuffers - before.arrayBuffers)
}, 20)
const { ok, inflatedBytes } = await checkPackage(file, defaultPackageLimits)
clearInterval(sampling)
process.stdout.write(JSON.stringify({ ok, inflatedBytes, rss, buffers }))
