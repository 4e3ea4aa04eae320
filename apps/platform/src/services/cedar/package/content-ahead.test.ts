import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { contentOf, readContentAhead } from './content-ahead.ts'
import { openGrowingFile, openPackageFile, type GrowingFile } from './package-file.ts'
import { defaultPackageLimits, type PackageLimits } from './package-limits.ts'
import { buildZip } from './testing/zip-builder.ts'

const names = ['index.html', 'a.js', 'b.js', 'c.js']
const entries = names.map((name) => ({ name, data: randomBytes(40_000).toString('hex') }))

let folder: string
let files: { close: () => void }[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-ahead-'))
  files = []
})
afterEach(async () => {
  for (const file of files) file.close()
  await rm(folder, { recursive: true })
})

async function arriving(zip: Buffer): Promise<GrowingFile> {
  const path = join(folder, 'package.zip')
  await writeFile(path, zip)
  const file = openGrowingFile(path)
  files.push(file)
  return file
}

async function pathsAhead(zip: Buffer, bytes = zip.length, limits: Partial<PackageLimits> = {}) {
  const file = await arriving(zip)
  const ahead = readContentAhead(file, { ...defaultPackageLimits, ...limits })
  file.grow(bytes)
  file.end()
  return [...(await ahead).values()].map(({ packed }) => packed.path)
}

it('reads every file that has arrived, before the list of files does', async () => {
  const zip = buildZip(entries)
  const list = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1'))
  expect(await pathsAhead(zip, list)).toEqual(names)
  const second = zip.indexOf(Buffer.from('PK\x03\x04', 'latin1'), 4)
  expect(await pathsAhead(zip, second + 10)).toEqual(['index.html'])
})

it('stops at a header without a size, at a second file of the same name and at a limit', async () => {
  const [page, a, b] = entries
  if (!page || !a || !b) throw new Error('unreachable')
  expect(await pathsAhead(buildZip([page, { ...a, descriptor: true }, b]))).toEqual(['index.html'])
  expect(await pathsAhead(buildZip([page, a, a, b]))).toEqual(['index.html', 'a.js'])
  expect(await pathsAhead(buildZip(entries), undefined, { files: 3 })).toHaveLength(3)
  const inflatedBytes = `${page.data}${a.data}`.length
  expect(await pathsAhead(buildZip(entries), undefined, { inflatedBytes })).toHaveLength(2)
  expect(await pathsAhead(buildZip(entries), undefined, { ratio: 1 })).toEqual([])
})

it('uses content read ahead only for a file that the list describes in the same way', async () => {
  const zip = buildZip(entries)
  const file = await arriving(zip)
  file.grow(zip.length)
  const ahead = await readContentAhead(file, defaultPackageLimits)
  const [known] = [...ahead.values()]
  if (!known) throw new Error('nothing was read ahead')
  const whole = openPackageFile(join(folder, 'package.zip'))
  files.push(whole)
  expect(await contentOf(whole, { ...known.packed }, ahead)).toBe(known.content)
  for (const other of [{ path: 'b.css' }, { bytes: 7 }, { packedBytes: 9 }, { method: 0 }])
    expect(await contentOf(whole, { ...known.packed, ...other }, ahead)).not.toBe(known.content)
})
