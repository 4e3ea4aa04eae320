import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'
import { describe, expect, it } from 'vitest'
import { defaultPackageLimits, type PackageLimits } from './package-limits.ts'
import type { RepairPlan } from './package-repairs.ts'
import { repairPackage } from './repair-package.ts'
import { checkZip } from './testing/check-zip.ts'
import { buildZip, type ZipEntry } from './testing/zip-builder.ts'

interface Repaired {
  zip: Buffer
  plan: Pick<RepairPlan, 'repairs'>
}

async function repair(
  zip: Buffer,
  limits: Partial<PackageLimits> = {},
): Promise<Repaired | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-repair-'))
  try {
    const file = join(folder, 'refused.zip')
    await writeFile(file, zip)
    const target = join(folder, 'repaired.zip')
    const written = await repairPackage(file, { ...defaultPackageLimits, ...limits }, target)
    if (!written) return undefined
    const repaired = await readFile(target)
    expect(written.bytes).toBe(repaired.length)
    expect(written.sha256).toBe(createHash('sha256').update(repaired).digest('hex'))
    return { zip: repaired, plan: { repairs: written.repairs } }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The files of an archive and their content, read by a library. */
async function contentsOf(zip: Buffer): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-repair-'))
  try {
    const file = join(folder, 'repaired.zip')
    await writeFile(file, zip)
    const archive = await openPromise(file, { autoClose: false })
    const contents: Record<string, string> = {}
    for await (const entry of archive.eachEntry()) {
      contents[entry.fileName] = (
        await buffer(await archive.openReadStreamPromise(entry))
      ).toString()
    }
    archive.close()
    return contents
  } finally {
    await rm(folder, { recursive: true })
  }
}

const page = '<!doctype html><title>Hello</title>'

describe('a refused package that can be repaired', () => {
  it.each<[string, ZipEntry[], Record<string, string>]>([
    [
      'whose files are all inside a folder gets them at its root',
      [
        { name: 'dist/', mode: 0o040755 },
        { name: 'dist/index.html', data: page },
        { name: 'dist/app/a.js', data: 'let a = 1\n'.repeat(500), descriptor: true },
      ],
      { 'index.html': page, 'app/a.js': 'let a = 1\n'.repeat(500) },
    ],
    [
      'that has backslashes in its paths gets slashes',
      [
        { name: 'index.html', data: page, method: 0 },
        { name: 'app\\' },
        { name: 'app\\картинки\\кот.svg', data: '<svg/>' },
      ],
      { 'index.html': page, 'app/картинки/кот.svg': '<svg/>' },
    ],
    [
      'that has all of it at once loses what macOS and Windows left',
      [
        { name: 'build\\index.html', data: page },
        { name: 'build\\.DS_Store', data: 'x' },
        { name: 'build\\a.js', data: 'a' },
        { name: '__MACOSX\\build\\._a.js', data: 'x' },
      ],
      { 'index.html': page, 'a.js': 'a' },
    ],
  ])('%s', async (_, entries, expected) => {
    const refused = buildZip(entries)
    const report = await checkZip(refused)
    const repaired = await repair(refused)
    expect(report.ok).toBe(false)
    expect(report.repairs).toEqual(repaired?.plan.repairs)
    expect(await checkZip(repaired?.zip ?? refused)).toMatchObject({ ok: true, findings: [] })
    expect(await contentsOf(repaired?.zip ?? refused)).toEqual(expected)
  })

  it('says which files change and how many, and names the first ten', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({
      name: `dist\\${index}.js`,
      data: 'x',
    }))
    const { repairs } = await checkZip(
      buildZip([
        { name: 'dist\\index.html', data: page },
        ...many,
        { name: '__MACOSX/a', data: 'x' },
      ]),
    )
    expect(repairs).toMatchObject([
      { kind: 'root-folder', count: 31 },
      { kind: 'backslashes', count: 31 },
      { kind: 'system-files', count: 1, examples: [{ from: '__MACOSX/a', to: null }] },
    ])
    expect(repairs[0]?.examples[0]).toEqual({ from: 'dist\\index.html', to: 'index.html' })
    expect(repairs[0]?.examples).toHaveLength(10)
  })

  it('keeps only the files of the old archive: no comment, no extra field, no mode', async () => {
    const extra = Buffer.alloc(8)
    extra.writeUInt16LE(0xcafe, 0)
    extra.writeUInt16LE(4, 2)
    extra.write('evil', 4)
    const refused = buildZip([{ name: 'dist/index.html', data: page, extra, mode: 0o100777 }], {
      comment: Buffer.from('evil comment'),
    })
    expect((await repair(refused))?.zip.includes('evil')).toBe(false)
  })
})

describe('no repair is offered, and none is made', () => {
  it.each<[string, ZipEntry[]]>([
    ['for a package that passes', [{ name: 'index.html', data: page }]],
    [
      'for a path that climbs out, with backslashes or without',
      [
        { name: 'dist\\index.html', data: page },
        { name: '..\\evil.js', data: 'x' },
      ],
    ],
    [
      'when two paths would become one',
      [
        { name: 'index.html', data: page },
        { name: 'a\\b', data: '1' },
        { name: 'a/b', data: '2' },
      ],
    ],
    ['when there is no start page inside the folder either', [{ name: 'dist/a.js', data: 'x' }]],
    [
      'when something else is wrong too',
      [
        { name: 'dist/index.html', data: page },
        { name: 'dist/a.zip', data: 'PK\x03\x04' },
      ],
    ],
    [
      'when a file does not match its checksum',
      [{ name: 'dist/index.html', data: page, crc: 1, method: 0 }],
    ],
    [
      'when two entries share their bytes',
      [
        { name: 'dist/index.html', data: page },
        { name: 'dist/b.html', data: page, offset: 0 },
      ],
    ],
  ])('%s', async (_, entries) => {
    expect((await checkZip(buildZip(entries))).repairs).toEqual([])
  })

  it('for an archive above the limits, or an invalid one', async () => {
    const nested = buildZip([{ name: 'dist/index.html', data: page }])
    expect(await repair(nested, { zipBytes: nested.length - 1 })).toBeUndefined()
    expect(await repair(nested, { files: 0 })).toBeUndefined()
    expect(await repair(Buffer.from('no zip'))).toBeUndefined()
  })
})
