import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { PackageLimits } from './package-limits.ts'
import { packageRules } from './package-rules.ts'
import { checkZip } from './testing/check-zip.ts'
import {
  buildZip,
  centralHeader,
  endRecord,
  localHeader,
  type ZipEntry,
  type ZipOptions,
} from './testing/zip-builder.ts'

const page: ZipEntry = { name: 'index.html', data: '<!doctype html><title>Hello</title>' }
const MB = 1024 * 1024

/** A package that is valid except for the given entries. */
const withPage = (...entries: ZipEntry[]) => buildZip([page, ...entries])

async function errorsOf(zip: Buffer, limits?: Partial<PackageLimits>) {
  const report = await checkZip(zip, limits)
  const errors = report.findings.filter(({ severity }) => severity === 'error')
  expect(report.ok).toBe(errors.length === 0)
  for (const finding of report.findings) {
    expect(packageRules).toHaveProperty(finding.rule)
    expect(finding.count).toBeGreaterThanOrEqual(finding.places.length)
    for (const { message, fix } of finding.places) {
      expect(message).not.toMatch(/\{\w+\}|undefined/)
      expect(fix.length).toBeGreaterThan(10)
    }
  }
  return errors.flatMap(({ rule, places }) =>
    places.map(({ path, params }) => ({ rule, path, params })),
  )
}

const rule = (name: string, path: string | null = null, params: object = {}) => ({
  rule: name,
  path,
  params,
})

describe('a good archive', () => {
  it('passes, stored or deflated, with folders, Cyrillic names and Unix modes', async () => {
    const zip = withPage(
      { name: 'картинки/', mode: 0o040755 },
      { name: 'картинки/кот.svg', data: '<svg/>', mode: 0o100644, method: 0 },
      { name: 'app.js', data: 'let a = 1\n'.repeat(2000) },
    )
    expect(await errorsOf(zip)).toEqual([])
  })

  it('passes with data descriptors, as programs that stream write them', async () => {
    expect(await errorsOf(buildZip([{ ...page, descriptor: true }]))).toEqual([])
  })

  it('passes with a comment and with unflagged UTF-8 names', async () => {
    const comment = Buffer.from('built today')
    const zip = buildZip([page, { name: 'ключ.txt', data: 'a', flags: 0 }], { comment })
    expect(await errorsOf(zip)).toEqual([])
  })
})

describe('a path that could leave the package folder is refused', () => {
  it.each([
    ['../x', 'path-traversal'],
    ['a/../../x', 'path-traversal'],
    ['a/..', 'path-traversal'],
    ['/x', 'path-absolute'],
    ['//host/share', 'path-absolute'],
    ['C:/x', 'path-absolute'],
    ['c:x', 'path-absolute'],
    ['..\\x', 'path-traversal'],
    ['a\\..\\x', 'path-traversal'],
    ['C:\\x', 'path-absolute'],
    ['\\x', 'path-absolute'],
    ['\\\\host\\share', 'path-absolute'],
    ['a\\x', 'path-backslash'],
    ['./x', 'path-not-clean'],
    ['a//b', 'path-not-clean'],
  ])('%s', async (name, expected) => {
    expect(await errorsOf(withPage({ name, data: 'x' }))).toEqual([rule(expected, name)])
  })
})

describe('a name that another system would read differently is refused', () => {
  it.each([
    ['what?.txt', 'U+003F'],
    ['a|b', 'U+007C'],
    ['ab:c', 'U+003A'],
  ])('for a reserved character: %s', async (name, code) => {
    expect(await errorsOf(withPage({ name, data: 'x' }))).toEqual([
      rule('name-character', name, { code }),
    ])
  })

  it('for control characters and text direction marks, which the report shows escaped', async () => {
    const zip = withPage({ name: 'a\u0000.js', data: 'x' }, { name: 'a\u202esj.exe', data: 'x' })
    expect(await errorsOf(zip)).toEqual([
      rule('name-character', 'a\\u0000.js', { code: 'U+0000' }),
      rule('name-character', 'a\\u202esj.exe', { code: 'U+202E' }),
    ])
  })

  it.each(['a.', 'a ', 'folder./x'])('for an ending that Windows drops: %j', async (name) => {
    expect(await errorsOf(withPage({ name, data: 'x' }))).toEqual([rule('name-ending', name)])
  })

  it('when it has more than 255 bytes, and not at 255', async () => {
    const long = 'я'.repeat(128)
    expect(await errorsOf(withPage({ name: 'a'.repeat(255), data: 'x' }))).toEqual([])
    expect(await errorsOf(withPage({ name: long, data: 'x' }))).toEqual([
      rule('name-too-long', long, { bytes: 256, limit: 255 }),
    ])
  })

  it('when it is not UTF-8, with or without the flag', async () => {
    const name = Buffer.from([0xaf, 0xe0, 0x2e, 0x6a, 0x73])
    for (const flags of [0, 0x0800]) {
      expect(await errorsOf(withPage({ name, data: 'x', flags }))).toEqual([
        rule('name-not-utf8', '¯à.js'),
      ])
    }
  })

  it('when an extra field gives it a second name', async () => {
    const second = Buffer.from('evil.js')
    const extra = Buffer.alloc(9)
    extra.writeUInt16LE(0x7075, 0)
    extra.writeUInt16LE(5 + second.length, 2)
    extra.writeUInt8(1, 4)
    extra.writeUInt32LE(crc32(Buffer.from('good.js')), 5)
    const entry = { name: 'good.js', data: 'x', extra: Buffer.concat([extra, second]) }
    expect(await errorsOf(withPage(entry))).toEqual([
      rule('header-mismatch', 'good.js', { field: 'name' }),
    ])
  })

  it.each([
    ['the same', 'app.js', 'app.js'],
    ['case', 'app.js', 'App.JS'],
    ['case of a folder', 'lib/a.js', 'LIB/b.js', 'lib'],
    ['case folding', 'straße.txt', 'STRASSE.TXT'],
    ['the final sigma', 'λόγος.txt', 'ΛΌΓΟΣ.txt'],
    ['Unicode normalisation', 'caf\u00e9.txt', 'cafe\u0301.txt'],
    ['a file and a folder', 'data', 'data/x', 'data'],
  ])('when two differ by no more than %s', async (_, first, second, other = first) => {
    const zip = withPage({ name: first, data: 'a' }, { name: second, data: 'b' })
    expect(await errorsOf(zip)).toEqual([rule('duplicate-name', second, { other })])
  })
})

describe('an entry that is not an ordinary file is refused', () => {
  it.each([
    ['a symbolic link', 0o120777, '0120000'],
    ['a device', 0o060644, '060000'],
    ['a pipe', 0o010644, '010000'],
    ['a folder that is named as a file', 0o040755, '040000'],
  ])('%s', async (_, mode, shown) => {
    const entry = { name: 'link', data: '/etc/passwd', mode }
    const expected = [rule('special-file', 'link', { mode: shown })]
    expect(await errorsOf(withPage(entry))).toEqual(expected)
    // The archive may claim to come from a system without modes.
    expect(await errorsOf(withPage({ ...entry, madeBy: 20 }))).toEqual(expected)
  })

  it('a folder with data', async () => {
    const zip = withPage({ name: 'folder/', data: 'hidden' })
    expect(await errorsOf(zip)).toEqual([rule('folder-with-data', 'folder/')])
  })

  it.each([
    ['encrypted', 0x0801],
    ['with masked headers', 0x2801],
  ])('one that is %s', async (_, flags) => {
    const zip = withPage({ name: 'a.js', data: 'x', flags })
    expect(await errorsOf(zip)).toEqual([rule('encrypted', 'a.js')])
  })

  it('one with strong encryption, beyond which the directory cannot be read', async () => {
    const zip = withPage({ name: 'a.js', data: 'x', flags: 0x0841 })
    expect(await errorsOf(zip)).toEqual([rule('encrypted')])
  })

  it('one packed with AES or a method that browsers lack', async () => {
    const zip = withPage(
      { name: 'a.js', data: 'x', method: 99 },
      { name: 'b.js', data: 'x', method: 93 },
    )
    expect(await errorsOf(zip)).toEqual([
      rule('encrypted', 'a.js'),
      rule('compression-method', 'b.js', { method: 93 }),
    ])
  })

  it.each([
    ['by its name', 'data.zip', Buffer.from('x')],
    ['by its content', 'image.png', buildZip([page])],
    ['gzip', 'data.bin', gzipSync('x')],
    ['tar', 'data.bin', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0')])],
  ])('an archive, known %s', async (_, name, data) => {
    expect(await errorsOf(withPage({ name, data }))).toEqual([rule('nested-archive', name)])
  })
})

describe('limits', () => {
  it('refuse an archive of too many bytes before reading it', async () => {
    const zip = withPage()
    expect(await errorsOf(zip, { zipBytes: zip.length })).toEqual([])
    expect(await errorsOf(zip, { zipBytes: zip.length - 1 })).toEqual([
      rule('zip-too-large', null, { bytes: zip.length, limit: zip.length - 1 }),
    ])
  })

  it('refuse too many files, and count folders separately', async () => {
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: `f/${index}.txt`, data: 'x' }))
    expect(await errorsOf(withPage({ name: 'f/' }, ...files(9)), { files: 10 })).toEqual([])
    expect(await errorsOf(withPage(...files(10)), { files: 10 })).toEqual([
      rule('too-many-files', null, { limit: 10 }),
    ])
    const folders = Array.from({ length: 11 }, (_, index) => ({ name: `${index}/` }))
    expect(await errorsOf(withPage(...folders), { files: 10 })).toEqual([
      rule('too-many-files', null, { limit: 10 }),
    ])
  })

  it('refuse a file that is too deep', async () => {
    expect(await errorsOf(withPage({ name: 'a/b/c.txt', data: 'x' }), { depth: 2 })).toEqual([])
    expect(await errorsOf(withPage({ name: 'a/b/c/d.txt', data: 'x' }), { depth: 2 })).toEqual([
      rule('too-deep', 'a/b/c/d.txt', { depth: 3, limit: 2 }),
    ])
  })

  it('refuse one file and all files by their inflated size, and inflate nothing', async () => {
    const data = Buffer.from('abcdefghij'.repeat(1000))
    const zip = withPage({ name: 'a.txt', data })
    expect(await errorsOf(zip, { fileBytes: 9999 })).toEqual([
      rule('file-too-large', 'a.txt', { bytes: 10_000, limit: 9999 }),
    ])
    expect(await errorsOf(zip, { inflatedBytes: 10_000 })).toEqual([
      rule('inflated-too-large', null, { limit: 10_000 }),
    ])
    expect((await checkZip(zip, { inflatedBytes: 10_000 })).inflatedBytes).toBe(0)
  })

  it('refuse a 1000:1 bomb, whether it declares its size or not', async () => {
    const data = Buffer.alloc(5 * MB)
    expect(await errorsOf(withPage({ name: 'bomb', data }))).toEqual([
      rule('compression-ratio', 'bomb', { limit: 100 }),
    ])
    const hidden = withPage({ name: 'bomb', data, declaredSize: 1000 })
    expect(await errorsOf(hidden)).toEqual([rule('size-mismatch', 'bomb', { declared: 1000 })])
    const report = await checkZip(hidden)
    expect(report.inflatedBytes).toBeLessThan(70 * 1024)
  })
})

/** Fifield's quoted overlap: each file is a stored block around the next header, then the rest. */
function overlappingBomb(count: number): Buffer {
  const kernel = Buffer.alloc(MB)
  const packedKernel = deflateRawSync(kernel)
  const entries: (ZipEntry & { packed: Buffer })[] = []
  let inflated: Buffer = kernel
  let packed: Buffer = packedKernel
  let headers = Buffer.alloc(0)
  const starts: number[] = []
  for (let index = count - 1; index >= 0; index -= 1) {
    const entry = {
      name: `file-${index}`,
      packed,
      method: 8,
      crc: crc32(inflated),
      declaredSize: inflated.length,
    }
    entries.unshift(entry)
    const header = localHeader(entry)
    const quote = Buffer.from([0, 0, 0, 0, 0])
    quote.writeUInt16LE(header.length, 1)
    quote.writeUInt16LE(~header.length & 0xffff, 3)
    headers = Buffer.concat(index === 0 ? [header, headers] : [quote, header, headers])
    starts.unshift(header.length)
    inflated = Buffer.concat([header, inflated])
    packed = Buffer.concat([quote, header, packed])
  }
  let offset = 0
  const directory = entries.map((entry, index) => {
    const header = centralHeader(entry, offset)
    offset += (starts[index] ?? 0) + 5
    return header
  })
  const central = Buffer.concat(directory)
  const body = Buffer.concat([headers, packedKernel])
  return Buffer.concat([body, central, endRecord(count, central.length, body.length)])
}

describe('an archive with inconsistent bytes is refused', () => {
  it('when entries overlap as in a Fifield bomb', async () => {
    const errors = await errorsOf(overlappingBomb(5), { ratio: 10_000 })
    const overlaps = errors.filter(({ rule: id }) => id === 'overlapping-entries')
    expect(overlaps).toEqual([
      rule('overlapping-entries', 'file-1', { other: 'file-0' }),
      rule('overlapping-entries', 'file-2', { other: 'file-1' }),
      rule('overlapping-entries', 'file-3', { other: 'file-2' }),
      rule('overlapping-entries', 'file-4', { other: 'file-3' }),
    ])
    expect((await checkZip(overlappingBomb(5))).inflatedBytes).toBe(0)
  })

  it('when two names share one local header', async () => {
    const errors = await errorsOf(
      buildZip([page, { ...page, name: 'other.html', offset: 0, local: { name: 'index.html' } }]),
    )
    expect(errors).toContainEqual(
      rule('overlapping-entries', 'other.html', { other: 'index.html' }),
    )
    expect(errors).toContainEqual(rule('header-mismatch', 'other.html', { field: 'name' }))
  })

  it('when its checksum is wrong', async () => {
    const zip = withPage({ name: 'a.js', data: 'let a', crc: 1 })
    expect(await errorsOf(zip)).toEqual([rule('checksum-mismatch', 'a.js')])
  })

  it('when a size is declared too small or too large', async () => {
    const data = 'let a = 1\n'.repeat(100)
    for (const declaredSize of [999, 1001]) {
      expect(await errorsOf(withPage({ name: 'a.js', data, declaredSize }))).toEqual([
        rule('size-mismatch', 'a.js', { declared: declaredSize }),
      ])
    }
    const stored = withPage({ name: 'a.js', data, method: 0, declaredSize: 5 })
    expect(await errorsOf(stored)).toEqual([rule('size-mismatch', 'a.js', { declared: 5 })])
  })

  it('when deflated data is broken, truncated or followed by hidden bytes', async () => {
    const data = 'let a = 1\n'.repeat(100)
    const good = deflateRawSync(data)
    for (const packed of [
      Buffer.from([0xff, 0xff, 0xff]),
      good.subarray(0, -3),
      Buffer.concat([good, Buffer.from('hidden')]),
      Buffer.concat([good, Buffer.alloc(200_000, 1)]),
    ]) {
      expect(await errorsOf(withPage({ name: 'a.js', data, packed }))).toEqual([
        rule('corrupt-data', 'a.js'),
      ])
    }
  })

  it.each([
    ['name', { name: 'b.js' }],
    ['method', { method: 0 }],
    ['flags', { flags: 0 }],
    ['checksum', { crc: 7 }],
    ['size', { size: 7 }],
  ])('when its two headers differ in %s', async (field, local) => {
    expect(await errorsOf(withPage({ name: 'a.js', data: 'x', local }))).toEqual([
      rule('header-mismatch', 'a.js', { field }),
    ])
  })

  it('when a local header lies about encryption only there', async () => {
    const zip = withPage({ name: 'a.js', data: 'x', local: { flags: 0x0801 } })
    expect(await errorsOf(zip)).toEqual([rule('header-mismatch', 'a.js', { field: 'flags' })])
  })

  it('when an offset points nowhere or outside', async () => {
    for (const offset of [3, 0xfffffff0]) {
      const errors = await errorsOf(withPage({ name: 'a.js', data: 'x', offset }))
      expect(errors).toEqual([rule('local-header', 'a.js')])
    }
  })

  it('when a packed size runs into the directory', async () => {
    const zip = withPage({ name: 'a.js', data: 'xyz', declaredCompressedSize: 5000 })
    expect(await errorsOf(zip)).toContainEqual(rule('local-header', 'a.js'))
  })

  it('when bytes that belong to no file come first, in between or last', async () => {
    const hidden = Buffer.from('hidden')
    const zip = buildZip([page])
    expect(await errorsOf(buildZip([page], { prefix: hidden }))).toEqual([
      rule('prepended-data', null, { bytes: 6 }),
    ])
    expect(await errorsOf(Buffer.concat([hidden, zip]))).toEqual([
      rule('prepended-data', null, { bytes: 6 }),
    ])
    expect(await errorsOf(Buffer.concat([zip, hidden]))).toEqual([
      rule('trailing-data', null, { bytes: 6 }),
    ])
    const between = { name: 'a.js', data: 'x', packed: Buffer.from('xhidden'), method: 0 }
    const errors = await errorsOf(withPage({ ...between, declaredCompressedSize: 1 }))
    expect(errors).toEqual([
      rule('unlisted-data', 'a.js', { bytes: 6, offset: expect.any(Number) }),
    ])
  })

  it('when an entry of the directory is left out of the count, or added', async () => {
    const twice = (end: ZipOptions['end']) => buildZip([page, { name: 'a.js', data: 'x' }], { end })
    expect(await errorsOf(twice({ entries: 1 }))).toContainEqual(
      expect.objectContaining({ rule: 'central-directory' }),
    )
    expect(await errorsOf(twice({ entries: 3 }))).toEqual([
      expect.objectContaining({ rule: 'central-directory' }),
    ])
  })

  it('when a comment holds a second end record', async () => {
    const comment = endRecord(0, 0, 0)
    const errors = await errorsOf(buildZip([page], { comment }))
    expect(errors).toEqual([expect.objectContaining({ rule: 'prepended-data' })])
  })
})

describe('a file that is not a single complete zip is refused', () => {
  it.each([
    ['an empty file', Buffer.alloc(0), 'not-a-zip'],
    ['a short file', Buffer.from('PK'), 'not-a-zip'],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n'.repeat(20), 'latin1'), 'not-a-zip'],
    ['a zip of nothing', buildZip([]), 'empty-archive'],
    ['a zip of folders', buildZip([{ name: 'a/' }]), 'empty-archive'],
    ['one part of a set', buildZip([page], { end: { disk: 1 } }), 'spanned'],
    ['one with parts elsewhere', buildZip([page], { end: { entriesHere: 0 } }), 'spanned'],
    ['zip64 by its count', buildZip([page], { end: { entries: 0xffff } }), 'zip64'],
    ['zip64 by its offset', buildZip([page], { end: { offset: 0xffffffff } }), 'zip64'],
  ])('%s', async (_, zip, expected) => {
    expect(await errorsOf(zip)).toEqual([rule(expected)])
  })

  it('one that is cut anywhere', async () => {
    const zip = withPage({ name: 'a.js', data: 'x' })
    for (let length = 4; length < zip.length; length += 7) {
      const errors = await errorsOf(zip.subarray(0, length))
      expect(errors).toEqual([rule('truncated')])
    }
  })

  it('one with a zip64 locator or 64-bit sizes', async () => {
    const zip = buildZip([page])
    const locator = Buffer.alloc(20, 0xff)
    locator.writeUInt32LE(0x07064b50, 0)
    const end = zip.subarray(-22)
    const withLocator = Buffer.concat([zip.subarray(0, -22), locator, end])
    expect(await errorsOf(withLocator)).toEqual([rule('zip64')])

    const local = { size: 0xffffffff }
    expect(await errorsOf(withPage({ name: 'a.js', data: 'x', local }))).toEqual([
      rule('zip64', 'a.js'),
    ])

    // An offset beyond a file system's maximum: with yauzl alone it would throw where nothing can
    // catch it.
    const extra = Buffer.alloc(12, 0xff)
    extra.writeUInt16LE(1, 0)
    extra.writeUInt16LE(8, 2)
    const entry = { name: 'a.js', data: 'x', offset: 0xffffffff, extra }
    expect(await errorsOf(withPage(entry))).toEqual([rule('zip64', 'a.js')])
  })
})

describe('a report stays short however much is wrong', () => {
  it('since each rule is counted, and names its first ten places', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => ({ name: `a\\${index}`, data: 'x' }))
    const { findings, ok } = await checkZip(withPage(...entries))
    expect(ok).toBe(false)
    expect(findings).toMatchObject([{ rule: 'path-backslash', count: 500 }])
    expect(findings[0]?.places.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, index) => `a\\${index}`),
    )
  })

  it('and every rule is named, even after hundreds of findings of another', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => ({ name: `../${index}`, data: 'x' }))
    const last = await checkZip(withPage(...entries, { name: 'x', data: 'y', flags: 1 }))
    expect(last.findings.map(({ rule, count }) => [rule, count])).toEqual([
      ['path-traversal', 500],
      ['encrypted', 1],
    ])
  })
})
