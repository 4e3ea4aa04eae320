import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { build } from '../../../scripts/workspace.mjs'

const dist = join(import.meta.dirname, '../dist')
const assets = join(dist, 'assets')
let files: string[] = []
let scripts: string[] = []
let page = ''

// Built again when a source has changed.
beforeAll(() => {
  build()
  files = readdirSync(assets)
  scripts = files.filter((file) => file.endsWith('.js'))
  page = readFileSync(join(dist, 'index.html'), 'utf8')
}, 120_000)

describe('the built chunks', () => {
  test('carry none of the contract', () => {
    const code = scripts.map((file) => readFileSync(join(assets, file), 'utf8')).join('\n')
    expect(code).toContain('/api/maple/device')
    // What TypeBox marks its schemas with, and a sentence of a schema of ours.
    expect(code).not.toMatch(/~kind|TypeBox/)
    expect(code).not.toContain('A short-lived token without roles')
  })

  test('stand beside their compressed copies', () => {
    const texts = files.filter((file) => /\.(js|css)$/.test(file))
    for (const file of texts)
      expect(files).toEqual(expect.arrayContaining([`${file}.br`, `${file}.gz`]))
  })

  test('hold no inline script in the page, and a place for the stage', () => {
    expect(page).toContain('<script type="application/json" id="stage"><!--stage--></script>')
    const tags = page.match(/<script(?![^>]*application\/json)[^>]*>/g) ?? []
    expect(tags.length).toBeGreaterThan(1)
    for (const tag of tags) expect(tag).toContain(' src="/assets/')
  })

  test('leave React Aria out of what a page loads by itself', () => {
    const isAria = (file: string) =>
      /data-rac|react-aria/.test(readFileSync(join(assets, file), 'utf8'))
    const aria = scripts.filter(isAria).map((file) => `assets/${file}`)
    const [, places = '{}'] = /data-chunks="([^"]+)"/.exec(page) ?? []
    const byPlace: Record<string, string[]> = JSON.parse(places.replaceAll('&quot;', '"'))
    expect(aria.length).toBeGreaterThan(3)
    expect(Object.keys(byPlace)).toEqual(
      expect.arrayContaining(['/login', '/dashboard/maple/devices', '/dev/kit']),
    )
    const loaded = Object.values(byPlace).flat()
    expect(loaded.filter((file) => aria.includes(file))).toEqual([])
    for (const file of aria) expect(page).not.toContain(`"/${file}"`)
  })

  test('let the sign-in page be used for at most 120 kB of compressed JavaScript', () => {
    const loaded = [...page.matchAll(/<(?:script|link)[^>]*(?:src|href)="\/assets\/([^"]+\.js)"/g)]
    // A visitor loads one language; the larger one counts.
    const texts = scripts
      .filter((file) => file.startsWith('messages-'))
      .map((file) => readFileSync(join(assets, `${file}.br`)).length)
    const bytes = [...new Set(loaded.map(([, file = '']) => file))]
      .map((file) => readFileSync(join(assets, `${file}.br`)).length)
      .reduce((sum, size) => sum + size, Math.max(...texts))
    expect(bytes).toBeGreaterThan(60_000)
    expect(bytes).toBeLessThanOrEqual(120_000)
  })

  test.each(['/dashboard/maple/devices', '/dashboard/cedar/mobile'])(
    'let %s be used for at most 160 kB of compressed JavaScript',
    (path) => {
      const inPage = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)]
      const data = /data-chunks="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"') ?? '{}'
      const places = JSON.parse(data) as Record<string, string[]>
      const service = path.split('/')[2]
      const needed = [
        ...inPage.map(([, file = '']) => file),
        ...[
          path,
          '/dashboard',
          ...['messages', 'dashboard', service].map((name) => `en-US/${name}`),
        ]
          .flatMap((place) => places[place] ?? [])
          .map((file) => file.replace('assets/', '')),
      ]
      const bytes = [...new Set(needed)]
        .filter((file) => file.endsWith('.js'))
        .map((file) => readFileSync(join(assets, `${file}.br`)).length)
        .reduce((sum, size) => sum + size, 0)
      expect(bytes).toBeGreaterThan(100_000)
      expect(bytes).toBeLessThanOrEqual(160_000)
    },
  )
})
