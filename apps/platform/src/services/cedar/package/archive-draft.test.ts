import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createArchiveDraft } from './archive-draft.ts'
import { inspectPackage } from './check-package.ts'
import { readContentAhead } from './content-ahead.ts'
import type { PackedFile } from './entry-content.ts'
import { openGrowingFile } from './package-file.ts'
import { defaultPackageLimits as limits } from './package-limits.ts'
import { rewritePackage } from './rewrite-package.ts'
import { buildZip } from './testing/zip-builder.ts'

const page = { name: 'index.html', data: '<!doctype html><title>Clock</title>' }
const script = { name: 'app.js', data: 'let a = 1\n'.repeat(900) }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-draft-'))
})
afterEach(() => rm(folder, { recursive: true }))
const place = (name: string) => join(folder, name)

/** A draft of the archive in order of arrival, and the files in its central directory. */
async function drafted(zip: Buffer) {
  const path = place('in.zip')
  await writeFile(path, zip)
  const draft = createArchiveDraft(place('draft'))
  const file = openGrowingFile(path)
  file.grow(zip.length)
  file.end()
  await readContentAhead(file, limits, draft).finally(file.close)
  return { draft, files: (await inspectPackage(path, limits)).files }
}

it('is the archive that writing it anew would give, whatever the headers contain', async () => {
  const extra = Buffer.from([0xfe, 0xca, 2, 0, 1, 2])
  const folderEntry = { name: 'img/', data: '', mode: 0o040755 }
  const zip = buildZip([{ ...page, extra }, folderEntry, script], { comment: Buffer.from('mine') })
  const { draft, files } = await drafted(zip)
  const written = draft.finish(files, place('drafted.zip'))
  expect(written).toEqual(await rewritePackage(place('in.zip'), limits, place('anew.zip')))
  const bytes = await readFile(place('drafted.zip'))
  expect(bytes.equals(await readFile(place('anew.zip')))).toBe(true)
  expect(existsSync(place('draft'))).toBe(false)
})

it('is dropped when the list at the end does not name the same files in the same order', async () => {
  const { draft: whole, files } = await drafted(buildZip([page, script]))
  whole.discard()
  const [first, second] = files
  if (!first || !second) throw new Error('The package was refused.')
  const lists: PackedFile[][] = [
    [second, first],
    [first],
    [...files, { ...second, path: 'b.js' }],
    [first, { ...second, path: 'b.js' }],
    [first, { ...second, start: second.start + 1 }],
    [first, { ...second, checksum: second.checksum + 1 }],
    [first, { ...second, bytes: second.bytes + 1 }],
    [first, { ...second, method: 0 }],
  ]
  for (const list of lists) {
    const { draft } = await drafted(buildZip([page, script]))
    expect(draft.finish(list, place('drafted.zip'))).toBeUndefined()
    expect([existsSync(place('draft')), existsSync(place('drafted.zip'))]).toEqual([false, false])
  }
})

it('is dropped if a file in it is incomplete', async () => {
  const { draft, files } = await drafted(buildZip([page]))
  const [first] = files
  if (!first) throw new Error('The package was refused.')
  const half = { ...first, path: 'half.txt' }
  draft.begin(half)
  draft.write(Buffer.alloc(half.packedBytes - 1))
  expect(draft.finish([first, half], place('drafted.zip'))).toBeUndefined()
  expect(existsSync(place('draft'))).toBe(false)
})
