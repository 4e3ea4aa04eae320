import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkPackage } from './check-package.ts'
import { defaultPackageLimits } from './package-limits.ts'
import { rewritePackage } from './rewrite-package.ts'
import { checkZip } from './testing/check-zip.ts'
import { buildZip, type ZipEntry } from './testing/zip-builder.ts'

const page = { name: 'index.html', data: '<!doctype html><title>Clock</title>' }

async function rewritten(zip: Buffer): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'grove-rewrite-'))
  try {
    const [file, target] = [join(folder, 'in.zip'), join(folder, 'out.zip')]
    await writeFile(file, zip)
    expect((await checkPackage(file, defaultPackageLimits)).findings).toEqual([])
    const { bytes } = await rewritePackage(file, defaultPackageLimits, target)
    const written = await readFile(target)
    expect(bytes).toBe(written.length)
    return written
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A local header with an extra field that the central directory does not have. */
function withLocalExtra(zip: Buffer, text: string): Buffer {
  const extra = Buffer.concat([Buffer.from([0x75, 0x70, text.length, 0]), Buffer.from(text)])
  const at = 30 + zip.readUInt16LE(26)
  const result = Buffer.concat([zip.subarray(0, at), extra, zip.subarray(at)])
  result.writeUInt16LE(extra.length, 28)
  const end = result.length - 22
  result.writeUInt32LE(result.readUInt32LE(end + 16) + extra.length, end + 16)
  return result
}

test('extra fields, a comment, folders and data hidden in them are not in the new archive', async () => {
  const hidden = 'HIDDEN-BYTES'
  const extra = Buffer.concat([Buffer.from([0xfe, 0xca, hidden.length, 0]), Buffer.from(hidden)])
  const zips = {
    'central extra': buildZip([{ ...page, extra }]),
    'archive comment': buildZip([page], { comment: Buffer.from(hidden) }),
    'local extra': withLocalExtra(buildZip([page]), hidden),
    'bytes in a folder': buildZip([
      page,
      { name: 'img/', packed: Buffer.from(hidden), method: 8, declaredSize: 0 },
    ]),
  }
  for (const [where, zip] of Object.entries(zips)) {
    expect([where, zip.includes(hidden)]).toEqual([where, true])
    const clean = await rewritten(zip)
    expect([where, clean.includes(hidden)]).toEqual([where, false])
    expect([where, await checkZip(clean)]).toMatchObject([where, { ok: true, files: 1 }])
  }
})

test('modes and dates are fixed, so the same files give the same bytes', async () => {
  const entries = (mode: number): ZipEntry[] => [
    { ...page, mode },
    { name: 'run.sh', data: 'echo', mode },
  ]
  const setuid = await rewritten(buildZip(entries(0o104777)))
  const plain = await rewritten(buildZip(entries(0o100644), { comment: Buffer.from('made today') }))
  expect(setuid.equals(plain)).toBe(true)
  // The mode of a file is in the upper half of its external attributes.
  const central = setuid.indexOf(Buffer.from('PK\x01\x02', 'latin1'))
  expect((setuid.readUInt32LE(central + 38) >>> 16).toString(8)).toBe('100644')
})

test.each([
  ['behind one byte', Buffer.concat([Buffer.from('x'), buildZip([page])])],
  ['behind a program', Buffer.concat([Buffer.alloc(200_000, 7), buildZip([page])])],
  ['as a Chrome extension', Buffer.from('Cr24\x03\0\0\0')],
  ['as a CAB', Buffer.from('MSCF\0\0\0\0')],
  ['as an ISO image', Buffer.concat([Buffer.alloc(32_769), Buffer.from('CD001')])],
])('an archive inside is found %s', async (_, data) => {
  const report = await checkZip(buildZip([page, { name: 'data.bin', data, method: 0 }]))
  expect(report.findings).toMatchObject([{ rule: 'nested-archive', severity: 'error' }])
})

test.each([
  ['CON', 'name-reserved'],
  ['img/nul.png', 'name-reserved'],
  ['Com1.js', 'name-reserved'],
  ['a%2e%2e%2fb.js', 'name-escape'],
  ['%00.js', 'name-escape'],
])('the name %s is refused as %s', async (name, rule) => {
  const { findings } = await checkZip(buildZip([page, { name, data: 'x' }]))
  expect(findings).toMatchObject([{ rule, severity: 'error' }])
})

test('names that differ only in the width of their letters are refused', async () => {
  const full = { name: '\uff49ndex.html', data: 'other' }
  const { findings } = await checkZip(buildZip([page, full]))
  expect(findings).toMatchObject([{ rule: 'duplicate-name' }])
})

test('names that only begin alike are accepted', async () => {
  const names = ['console.js', 'null.js', 'com.js', '100%.txt', 'aux-data/x.js']
  const { ok } = await checkZip(buildZip([page, ...names.map((name) => ({ name, data: 'x' }))]))
  expect(ok).toBe(true)
})
