import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkPackage } from '../services/cedar/package/check-package.ts'
import { defaultPackageLimits } from '../services/cedar/package/package-limits.ts'
import { samples } from './samples.ts'
import { zipFolder } from './zip-folder.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-samples-'))
})
afterAll(() => rm(folder, { recursive: true }))

const versions = samples.flatMap((app) =>
  app.versions.map((version) => ({ name: `${app.id} ${version.version}`, ...version })),
)

describe.each(versions)('$name', (version) => {
  it('passes its check without a single finding', async () => {
    const file = join(folder, `${version.name}.zip`)
    await writeFile(file, await zipFolder(version.folder))
    const report = await checkPackage(file, defaultPackageLimits)
    expect(report).toMatchObject({ ok: true, profile: 'web', findings: [], files: 5 })
    expect(report.manifest?.versionName).toBe(version.version)
  })

  it('zips to the same bytes every time', async () => {
    expect((await zipFolder(version.folder)).equals(await zipFolder(version.folder))).toBe(true)
  })

  it('runs under a strict policy: no network, no inline code', async () => {
    for (const name of await readdir(version.folder)) {
      const text = await readFile(join(version.folder, name), 'utf8')
      const addresses = text.match(/https?:\/\/[^"'\s]+/g) ?? []
      expect(addresses.filter((address) => address !== 'http://www.w3.org/2000/svg')).toEqual([])
      expect(text).not.toMatch(/\bfetch\(|XMLHttpRequest|WebSocket|\beval\(|innerHTML|@import/)
      if (name.endsWith('.html')) {
        expect(text).not.toMatch(/\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=)|javascript:/i)
      }
    }
  })

  it('has all texts in both languages, within the limits of a listing', async () => {
    for (const translation of Object.values(version.translations)) {
      expect(translation.title.length).toBeLessThanOrEqual(30)
      expect(translation.shortDescription.length).toBeLessThanOrEqual(80)
      expect(translation.whatsNew.length).toBeLessThanOrEqual(500)
      expect(Object.values(translation).every((text) => text.trim() !== '')).toBe(true)
    }
    expect(version.translations['ru-RU'].title).toMatch(/[а-яё]/i)
    const script = await readFile(join(version.folder, 'app.js'), 'utf8')
    const [, english = '', russian = ''] =
      /\n {2}en: \{(.*?)\n {2}ru: \{(.*?)\n\}/s.exec(script) ?? []
    const keys = (text: string) => [...text.matchAll(/^ {4}(\w+):/gm)].map((match) => match[1])
    expect(keys(russian)).toEqual(keys(english))
    expect(keys(english).length).toBeGreaterThan(5)
  })
})

describe.each(samples)('the listing of $id', (app) => {
  it('has an icon of 512×512 and at most 100 kB', async () => {
    expect(await sharp(app.icon).metadata()).toMatchObject({
      format: 'png',
      width: 512,
      height: 512,
    })
    expect((await stat(app.icon)).size).toBeLessThanOrEqual(100 * 1024)
  })

  it('has different screenshots of 640×1280 for each language', async () => {
    const files = Object.values(app.screenshots).flat()
    const seen = new Set<string>()
    for (const file of files) {
      expect(await sharp(file).metadata()).toMatchObject({
        format: 'png',
        width: 640,
        height: 1280,
      })
      seen.add((await readFile(file)).toString('base64'))
    }
    expect(seen.size).toBe(4)
  })
})

it('one mini-app has two versions that differ', async () => {
  const several = samples.filter((app) => app.versions.length > 1)
  expect(several).toHaveLength(1)
  const [previous, live] = several[0]?.versions ?? []
  expect(previous && live).toBeTruthy()
  const zips = await Promise.all(
    [previous, live].map((version) => zipFolder(version?.folder ?? '')),
  )
  expect(zips[0]?.equals(zips[1] ?? Buffer.alloc(0))).toBe(false)
})
