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
    const byPlace = chunksByPlace()
    expect(aria.length).toBeGreaterThan(3)
    expect(Object.keys(byPlace)).toEqual(
      expect.arrayContaining(['/login', '/dashboard/maple/devices', '/dev/kit']),
    )
    const loaded = Object.values(byPlace).flat()
    expect(loaded.filter((file) => aria.includes(file))).toEqual([])
    for (const file of aria) expect(page).not.toContain(`"/${file}"`)
  })

  test.each([
    { path: '/login', texts: ['messages'], most: 120_000 },
    { path: '/dashboard/maple/devices', texts: ['maple'], most: 146_000 },
    { path: '/dashboard/cedar/mobile', texts: ['cedar'], most: 146_000 },
  ])(
    'let $path be used for at most $most bytes of compressed JavaScript and 12 requests',
    ({ path, texts, most }) => {
      const area = path.split('/')[1]
      const needed = new Set([
        ...[...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file),
        ...[path, `/${area}`, ...texts.map((name) => `en-US/${name}`)].flatMap(
          (place) => chunksByPlace()[place] ?? [],
        ),
      ])
      // The sign-in page can be used before the calls that it sends come.
      const code = [...needed].filter((file) => /^(?!.*sign-in-calls).*\.js$/.test(file))
      const bytes = code.reduce((sum, file) => sum + compressedSize(file), 0)
      expect(bytes).toBeGreaterThan(100_000)
      expect(bytes).toBeLessThanOrEqual(most)
      // The page itself is one more; the calls of the API are not counted.
      expect(needed.size + 1).toBeLessThanOrEqual(12)
      // Nothing else is loaded by what is loaded.
      for (const file of code)
        for (const imported of importsOf(file)) expect(needed).toContain(imported)
    },
  )

  test('import one another in one direction', () => {
    const done = new Set<string>()
    const visit = (file: string, path: readonly string[]) => {
      expect(path).not.toContain(file)
      if (done.has(file)) return
      for (const imported of importsOf(file)) visit(imported, [...path, file])
      done.add(file)
    }
    for (const file of scripts) visit(`assets/${file}`, [])
    expect(done.size).toBe(scripts.length)
  })

  test('name no file that is not there', () => {
    const known = new Set(files.map((file) => `assets/${file}`))
    for (const file of Object.values(chunksByPlace()).flat()) expect(known).toContain(file)
    for (const file of scripts) {
      const code = readFileSync(join(assets, file), 'utf8')
      const named = [...code.matchAll(/import\([`"']\.\/([\w.$-]+\.js)[`"']\)/g)]
      for (const [, name = ''] of named) expect(known).toContain(`assets/${name}`)
    }
  })
})

function chunksByPlace() {
  const [, data = '{}'] = /data-chunks="([^"]*)"/.exec(page) ?? []
  return JSON.parse(data.replaceAll('&quot;', '"')) as Record<string, string[]>
}

const compressedSize = (file: string) => readFileSync(join(dist, `${file}.br`)).length

/** The chunks that a chunk imports statically. */
function importsOf(file: string) {
  const code = readFileSync(join(dist, file), 'utf8')
  const statements = code.matchAll(/(?:\bfrom|\bimport)["']\.\/([\w.$-]+\.js)["']/g)
  return new Set([...statements].map(([, name = '']) => `assets/${name}`))
}
