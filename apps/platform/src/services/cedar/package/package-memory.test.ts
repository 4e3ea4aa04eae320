import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { programArgs } from '../../../core/testing/run-script.ts'
import { buildZip } from './testing/zip-builder.ts'

const run = promisify(execFile)
const MB = 1024 * 1024
const probe = new URL('./testing/memory-probe.ts', import.meta.url).pathname

it('checks 58 MB of content in a fraction of that memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-memory-'))
  try {
    // Text that compresses about 20:1, so that the archive stays within its own limit.
    const line = (index: number) => `${index * 7919} ${'grove '.repeat(30)}\n`
    const text = Array.from({ length: 54_000 }, (_, index) => line(index)).join('')
    const data = Buffer.from(text.slice(0, 9.6 * MB))
    const names = ['index.html', 'a.css', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
    const entries = names.map((name, index) => ({ name, data, method: index === 0 ? 0 : 8 }))
    const big = join(folder, 'big.zip')
    await writeFile(big, buildZip(entries))
    const small = join(folder, 'small.zip')
    await writeFile(small, buildZip([{ name: 'index.html', data: 'x' }]))

    const flags = ['--max-old-space-size=64', '--expose-gc']
    const { stdout } = await run(process.execPath, [...flags, ...programArgs(probe, small, big)])
    const used = JSON.parse(stdout) as Record<'inflatedBytes' | 'rss' | 'buffers', number>
    expect(used).toMatchObject({ ok: true, inflatedBytes: data.length * names.length })
    expect(used.inflatedBytes).toBeGreaterThan(55 * MB)
    expect(used.buffers).toBeLessThan(16 * MB)
    expect(used.rss).toBeLessThan(40 * MB)
  } finally {
    await rm(folder, { recursive: true })
  }
})
