import { existsSync, readdirSync } from 'node:fs'
import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { checkZip } from './testing/check-zip.ts'
import { buildZip } from './testing/zip-builder.ts'

const good = buildZip([
  { name: 'index.html', data: '<script src="app.js"></script>'.repeat(20) },
  { name: 'app.js', data: 'let a = 1\n'.repeat(50), descriptor: true },
  { name: 'картинки/', mode: 0o040755 },
  { name: 'картинки/кот.svg', data: '<svg/>', method: 0, mode: 0o100644 },
  { name: 'manifest.json', data: '{"name":"Hello","version":{"code":1,"name":"1.0.0"}}' },
])
const isWhole = process.env['GROVE_TESTS'] === 'all'
vi.setConfig({ testTimeout: isWhole ? 120_000 : 30_000 })
const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0)

type Edit = { at: number; byte: number }
const edits = fc.array(fc.record({ at: fc.nat(good.length - 1), byte: fc.nat(255) }), {
  minLength: 1,
  maxLength: 8,
})
const edited = (changes: Edit[]) => {
  const bytes = Buffer.from(good)
  for (const { at, byte } of changes) bytes[at] = byte
  return bytes
}

async function isReported(zip: Buffer) {
  const report = await checkZip(zip)
  expect(report.ok).toBe(report.findings.every(({ severity }) => severity !== 'error'))
  return report
}

it('ends with a report whatever bytes are changed, and leaves no file open', async () => {
  expect(await isReported(good)).toMatchObject({ ok: true })
  const before = openFiles()
  await fc.assert(
    fc.asyncProperty(edits, async (changes) => {
      await isReported(edited(changes))
    }),
    { numRuns: isWhole ? 4000 : 400, seed: 20260101 },
  )
  expect(openFiles()).toBeLessThanOrEqual(before + 2)
})

it('ends with a report when a header field takes an extreme value @long', async () => {
  for (let at = 0; at + 4 <= good.length; at += 1) {
    for (const value of [0, 0xffff, 0xffffffff]) {
      const bytes = Buffer.from(good)
      if (value === 0xffff) bytes.writeUInt16LE(value, at)
      else bytes.writeUInt32LE(value, at)
      await isReported(bytes)
    }
  }
})

it('ends with a report when bytes are cut out, doubled or added', async () => {
  const range = fc.tuple(fc.nat(good.length), fc.nat(60), fc.uint8Array({ maxLength: 40 }))
  await fc.assert(
    fc.asyncProperty(range, async ([at, length, added]) => {
      await isReported(Buffer.concat([good.subarray(0, at), added, good.subarray(at + length)]))
    }),
    { numRuns: isWhole ? 2000 : 200, seed: 20260102 },
  )
})
