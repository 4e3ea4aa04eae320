import { describe, expect, it } from 'vitest'
import type { PackageReport } from './package-report.ts'
import { checkZip } from './testing/check-zip.ts'
import { buildZip, type ZipEntry } from './testing/zip-builder.ts'

const files = (...names: string[]): ZipEntry[] => names.map((name) => ({ name, data: 'x' }))
const found = ({ findings }: PackageReport) =>
  findings.flatMap(({ rule, places }) => places.map(({ params }) => ({ rule, params })))

describe('a web package', () => {
  it('has index.html at its root and needs nothing else', async () => {
    const report = await checkZip(buildZip(files('index.html')))
    expect(report).toMatchObject({
      ok: true,
      profile: 'web',
      startPage: 'index.html',
      files: 1,
      inflatedBytes: 1,
      findings: [],
      manifest: null,
    })
  })

  it('lists the five largest files, largest first', async () => {
    const entries = [10, 70, 30, 60, 20, 50].map((size) => ({
      name: `${size}.txt`,
      data: 'x'.repeat(size),
    }))
    const report = await checkZip(buildZip([...files('index.html'), ...entries]))
    expect(report.heaviest.map(({ bytes }) => bytes)).toEqual([70, 60, 50, 30, 20])
    expect(report.heaviest[0]).toEqual({ path: '70.txt', bytes: 70 })
  })

  it('may have a manifest of any dialect, as long as it is a JSON object', async () => {
    const withManifest = (data: string) =>
      checkZip(buildZip([...files('index.html'), { name: 'manifest.json', data }]))
    const manifest = {
      name: 'Tides',
      version: '1.0.0',
      reqPermissions: [{ name: 'location', reason: 'nearest port' }],
    }
    const report = await withManifest(`\ufeff${JSON.stringify(manifest)}`)
    expect(report.ok).toBe(true)
    expect(report.manifest).toEqual({
      appId: null,
      name: 'Tides',
      versionCode: null,
      versionName: '1.0.0',
      pages: [],
      permissions: ['location'],
      optionalPermissions: [],
    })
    for (const broken of ['{', '[]', 'null', '"text"']) {
      expect(found(await withManifest(broken))).toEqual([{ rule: 'manifest-not-json', params: {} }])
    }
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(found(await withManifest(nested(31)))).toEqual([])
    for (const deep of [nested(32), '[['.repeat(30_000)])
      expect(found(await withManifest(deep))).toEqual([
        { rule: 'manifest-too-deep', params: { limit: 32 } },
      ])
  })

  it('may not have a manifest of more than 256 kB', async () => {
    const data = Buffer.from(JSON.stringify({ text: Array.from({ length: 50_000 }, (_, i) => i) }))
    expect(data.length).toBeGreaterThan(256 * 1024)
    const report = await checkZip(
      buildZip([...files('index.html'), { name: 'manifest.json', data }]),
    )
    expect(found(report)).toEqual([{ rule: 'manifest-too-large', params: { limit: 262144 } }])
    expect(report.manifest).toBeNull()
  })

  it('is warned of references to the root of the host', async () => {
    const html = [
      '<script src="/assets/app.js"></script>',
      "<link href='/assets/app.css'>",
      '<img src="//cdn.example/x.png"><a href="#/x"></a><a href="./y"></a>',
      '<base href=/>',
    ].join('\n')
    const css = 'body { background: url( "/картинка.png" ) } i { background: url(a/b.png) }'
    const report = await checkZip(
      buildZip([
        { name: 'index.html', data: html },
        { name: 'a.css', data: css },
        { name: 'a.js', data: 'x.src="/not/looked/at"' },
      ]),
    )
    expect(report.ok).toBe(true)
    expect(found(report)).toEqual([
      { rule: 'absolute-reference', params: { reference: '/assets/app.js', count: 3 } },
      { rule: 'absolute-reference', params: { reference: '/картинка.png', count: 1 } },
    ])
  })

  it('counts each such reference once wherever the chunks are cut', async () => {
    const reference = '<img src="/a.png">'
    for (const padding of [65_500, 65_522, 65_524, 65_530, 65_536, 65_545]) {
      const html = `${'y'.repeat(padding)}${reference}${'z'.repeat(70_000)}${reference}`
      const report = await checkZip(buildZip([{ name: 'index.html', data: html, method: 0 }]))
      expect(found(report)).toEqual([
        { rule: 'absolute-reference', params: { reference: '/a.png', count: 2 } },
      ])
    }
  })

  it('finds references in linear time', async () => {
    const data = `src=${' '.repeat(9)}`.repeat(400_000)
    const start = performance.now()
    await checkZip(buildZip([{ name: 'index.html', data, method: 0 }]))
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

describe('a package without a start page', () => {
  it.each([
    ['dist', ['dist/index.html', 'dist/assets/a.js']],
    ['my app/build', ['my app/build/index.html', 'my app/build/a.js', '__MACOSX/x', '.DS_Store']],
    ['dist/assets', ['dist/assets/a.js']],
  ])('must not have all its files inside %s', async (folder, names) => {
    const report = await checkZip(buildZip(files(...names)))
    expect(report).toMatchObject({ ok: false, profile: null, startPage: null })
    const finding = report.findings.find(({ severity }) => severity === 'error')
    expect(finding).toMatchObject({
      rule: 'nested-in-folder',
      places: [{ params: { folder }, message: `All files are inside \`${folder}/\`.` }],
    })
  })

  it.each([
    [['readme.txt', 'dist/index.html']],
    [['Index.html']],
    [['a/index.html', 'b/index.html']],
    [['manifest.json', 'src/x']],
  ])('is refused with %j', async (names) => {
    const entries = files(...names).map((entry) => ({ ...entry, data: '{}' }))
    const report = await checkZip(buildZip(entries))
    expect(found(report)).toEqual([{ rule: 'start-page-missing', params: {} }])
    expect(report.ok).toBe(false)
  })

  it('still has its content checked', async () => {
    const entries = files('dist/index.html', 'dist/a.js').map((entry) => ({ ...entry, crc: 1 }))
    const report = await checkZip(buildZip(entries))
    expect(report.findings.map(({ rule, count }) => [rule, count])).toEqual([
      ['nested-in-folder', 1],
      ['checksum-mismatch', 2],
    ])
  })
})

it('gets a warning about files left by an operating system', async () => {
  const names = ['index.html', '__MACOSX/._index.html', '.DS_Store', 'img/Thumbs.db']
  const report = await checkZip(buildZip(files(...names)))
  expect(report.ok).toBe(true)
  expect(found(report)).toEqual([
    { rule: 'system-files', params: { count: 3, example: '__MACOSX/._index.html' } },
  ])
})

const goodManifest = {
  app_id: 'org.example.tides',
  name: 'Tides',
  icons: [{ src: 'common/icon.png', sizes: '48x48' }],
  pages: ['pages/index/index', 'pages/about'],
  version: { code: 3, name: '1.2.0' },
  platform_version: { min_code: 1, target_code: '2', release_type: 'CR' },
  lang: 'en-US',
  dir: 'ltr',
  color_scheme: 'auto',
  device_type: ['phone'],
  req_permissions: [{ name: 'system.location', reason: 'nearest port' }],
  widgets: [{ name: 'small', path: 'widgets/small' }],
  window: { navigation_bar_title_text: 'Tides' },
}

const w3c = (manifest: object) =>
  checkZip(
    buildZip([
      { name: 'manifest.json', data: JSON.stringify(manifest) },
      ...files('app.js', 'pages/index/index.html', 'pages/about.html', 'common/icon.png'),
      { name: 'app.css' },
    ]),
  )

describe('a W3C package', () => {
  it('starts at the first page of its manifest', async () => {
    const report = await w3c(goodManifest)
    expect(report).toMatchObject({
      ok: true,
      profile: 'w3c',
      startPage: 'pages/index/index.html',
      findings: [],
      manifest: {
        appId: 'org.example.tides',
        name: 'Tides',
        versionCode: 3,
        versionName: '1.2.0',
        pages: ['pages/index/index', 'pages/about'],
        permissions: ['system.location'],
      },
    })
  })

  it('gets a list of its missing root files', async () => {
    const entries = files('app.js', 'pages/a.html')
    const report = await checkZip(buildZip([{ name: 'manifest.json', data: '{}' }, ...entries]))
    expect(report.profile).toBe('w3c')
    expect(found(report)).toContainEqual({
      rule: 'required-file-missing',
      params: { file: 'app.css' },
    })
  })

  it.each(['app_id', 'name', 'icons', 'pages', 'version', 'platform_version'])(
    'needs %s in its manifest',
    async (field) => {
      const report = await w3c({ ...goodManifest, [field]: undefined })
      expect(found(report)).toEqual([{ rule: 'manifest-field-missing', params: { field } }])
    },
  )

  it.each([
    ['app_id', { app_id: 5 }],
    ['name', { name: '' }],
    ['icons', { icons: [] }],
    ['icons[0].src', { icons: [{ src: 1 }] }],
    ['pages', { pages: 'pages/index/index' }],
    ['pages[0]', { pages: [7] }],
    ['version', { version: '1.2.0' }],
    ['version.code', { version: { code: '3', name: '1.2.0' } }],
    ['platform_version.min_code', { platform_version: { min_code: 1.5 } }],
    ['platform_version.target_code', { platform_version: { min_code: 1, target_code: 'x' } }],
    ['lang', { lang: 'not a tag' }],
    ['dir', { dir: 'up' }],
    ['color_scheme', { color_scheme: 'sepia' }],
    ['device_type', { device_type: [1] }],
    ['req_permissions', { req_permissions: {} }],
    ['req_permissions[0]', { req_permissions: ['camera'] }],
    ['widgets[0].path', { widgets: [{ name: 'a', path: 0 }] }],
    ['window', { window: [] }],
  ])('has a finding where %s is of the wrong kind', async (field, change) => {
    const report = await w3c({ ...goodManifest, ...change })
    expect(report.findings).toEqual([
      expect.objectContaining({
        rule: 'manifest-field-type',
        places: [
          expect.objectContaining({
            path: 'manifest.json',
            params: { field, expected: expect.any(String) },
          }),
        ],
      }),
    ])
  })

  it('has a finding for fields that the published schema would put in the wrong place', async () => {
    const { pages, platform_version, ...rest } = goodManifest
    const report = await w3c({ ...rest, version: { ...rest.version, pages, platform_version } })
    expect(found(report)).toEqual([
      { rule: 'manifest-field-misplaced', params: { field: 'pages' } },
      { rule: 'manifest-field-misplaced', params: { field: 'platform_version' } },
    ])
  })

  it('has a finding for each missing file that its manifest names', async () => {
    const report = await w3c({
      ...goodManifest,
      pages: ['pages/index/index', 'pages/lost'],
      icons: [{ src: '/icon.png' }],
    })
    expect(found(report)).toEqual([
      { rule: 'manifest-file-missing', params: { file: 'pages/lost.html', field: 'pages[1]' } },
      { rule: 'manifest-file-missing', params: { file: '/icon.png', field: 'icons[0].src' } },
    ])
  })

  it('gets only a warning for a version name that is not X.Y.Z', async () => {
    const report = await w3c({ ...goodManifest, version: { code: 1, name: 'spring' } })
    expect(report.ok).toBe(true)
    expect(found(report)).toEqual([{ rule: 'manifest-version-name', params: {} }])
  })
})
