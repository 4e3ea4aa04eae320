import { parse } from '@babel/parser'
import type { Node } from '@babel/types'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { build } from '../../../scripts/workspace.mjs'
import { routeParts } from './app/route-parts.ts'
import { pageCatalogues } from './ui/i18n/page-catalogues.ts'

const dist = join(import.meta.dirname, '../dist')
const assets = join(dist, 'assets')
let files: string[] = []
let scripts: string[] = []
let page = ''

// Rebuilt when a source has changed.
beforeAll(() => {
  build()
  files = readdirSync(assets)
  scripts = files.filter((file) => file.endsWith('.js'))
  page = readFileSync(join(dist, 'index.html'), 'utf8')
}, 240_000)

describe('the built chunks', () => {
  test('contain nothing of the contract', () => {
    const code = scripts.map((file) => readFileSync(join(assets, file), 'utf8')).join('\n')
    expect(code).toContain('/api/maple/device')
    // TypeBox's marker of schemas, and a sentence from one of our schemas.
    expect(code).not.toMatch(/~kind|TypeBox/)
    expect(code).not.toContain('A short-lived token without roles')
  })

  test('come with compressed copies', () => {
    const texts = files.filter((file) => /\.(js|css)$/.test(file))
    for (const file of texts)
      expect(files).toEqual(expect.arrayContaining([`${file}.br`, `${file}.gz`]))
  })

  test('have one inline script in the page, and a placeholder for the stage', () => {
    expect(page).toContain('<script type="application/json" id="stage"><!--stage--></script>')
    const tags = page.match(/<script(?![^>]*application\/json)[^>]*>/g) ?? []
    expect(tags.length).toBeGreaterThan(2)
    // The platform's content security policy lists it by hash.
    const [inline, ...others] = tags.filter((tag) => !tag.includes(' src="/assets/'))
    expect(inline).toMatch(/^<script data-chunks="/)
    expect(others).toEqual([])
  })

  // WebKit hands a module that awaits to its second importer before it has run.
  test('have no top-level await', () => {
    const waiting = scripts.filter((file) => {
      const code = readFileSync(join(assets, file), 'utf8')
      return /\bawait\b/.test(code) && awaits(parse(code, { sourceType: 'module' }).program)
    })
    expect(waiting).toEqual([])
  }, 60_000)

  test('request a list before the frameworks are loaded', () => {
    const [start = ''] = scripts.filter((file) => file.startsWith('start-'))
    const code = readFileSync(join(assets, start), 'utf8')
    for (const path of ['/api/maple/device', '/api/maple/account', '/api/developer/product'])
      expect(code).toContain(path)
    expect([...importsOf(`assets/${start}`)]).toEqual([])
    const tags = [...page.matchAll(/<script[^>]* src="\/assets\/(\w+)-[^>]*>/g)]
    expect(tags.map(([, name]) => name)).toEqual(['start', 'vendor', 'app'])
    // The others wait for one another; this one must not wait for them.
    expect(tags[0]?.[0]).toContain(' async ')
  })

  test('do not load React Aria with a page', () => {
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

  // The budget of `/login` is 120,000 bytes, that of lists 146,000; two lists of Maple exceed it
  // (docs/plan.md). The hashes in the names of files change a size by up to fifty bytes.
  const pages = [
    { path: '/login', most: 120_000 },
    { path: '/dashboard/maple/devices', most: 147_900 },
    { path: '/dashboard/cedar/mobile', most: 146_000 },
    { path: '/dashboard/maple/accounts', most: 147_900 },
    { path: '/dashboard/cedar/providers', most: 146_000 },
    { path: '/dashboard/cedar/account/people', most: 146_000 },
    { path: '/dashboard/system/jobs', most: 146_000 },
  ]
  test.each(pages.flatMap((each) => ['en-US', 'ru-RU'].map((locale) => ({ ...each, locale }))))(
    'let $path be used in $locale for at most $most bytes of compressed JavaScript and 12 requests',
    ({ path, most, locale }) => {
      const texts = fitting(pageCatalogues, path).at(-1)
      const parts = fitting(routeParts, path)
      const needed = new Set([
        ...[...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file),
        ...[path, parts[0] ?? '', parts.at(-1) ?? '', `${locale}/${texts}`].flatMap(
          (place) => chunksByPlace()[place] ?? [],
        ),
      ])
      // The sign-in page is usable before the code of its calls arrives.
      const code = [...needed].filter((file) => /^(?!.*sign-in-calls).*\.js$/.test(file))
      const bytes = code.reduce((sum, file) => sum + compressedSize(file), 0)
      expect(bytes).toBeGreaterThan(100_000)
      expect(bytes).toBeLessThanOrEqual(most)
      // Two more: the page itself and the call for its data.
      expect(needed.size + 2).toBeLessThanOrEqual(12)
      // What was loaded triggers no further loading.
      for (const file of code)
        for (const imported of importsOf(file)) expect(needed).toContain(imported)
    },
  )

  test('include a file for each catalogue, which exports its messages', () => {
    const catalogues = messagesByPlace()
    expect(catalogues.length).toBeGreaterThan(90)
    for (const [place, messages] of catalogues) expect(messages.length, place).toBeGreaterThan(2)
  })

  test('name each message by an ID that the catalogues have', () => {
    const ids = new Set(messagesByPlace().flatMap(([, messages]) => messages))
    expect(ids.size).toBeGreaterThan(500)
    const code = readFileSync(join(assets, fileOf('dashboard-maple-devices')), 'utf8')
    // Anything with a heading is a column of the table.
    const used = [...code.matchAll(/\bid:`([\w+/]{2,6})`(?!,header)/g)].map(([, id = '']) => id)
    expect(used.length).toBeGreaterThan(20)
    expect(used.filter((id) => !ids.has(id))).toEqual([])
    expect(used.filter((id) => id.length > 4)).toEqual([])
  })

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

  test('name no file that does not exist', () => {
    const known = new Set(files.map((file) => `assets/${file}`))
    for (const file of Object.values(chunksByPlace()).flat()) expect(known).toContain(file)
    for (const file of scripts) {
      const code = readFileSync(join(assets, file), 'utf8')
      const named = [...code.matchAll(/import\([`"']\.\/([\w.$-]+\.js)[`"']\)/g)]
      for (const [, name = ''] of named) expect(known).toContain(`assets/${name}`)
    }
  })
})

const fileOf = (name: string) =>
  scripts.find((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file)) ?? ''

const fitting = (table: Record<string, string>, path: string) =>
  Object.entries(table).flatMap(([beginning, part]) => (path.startsWith(beginning) ? [part] : []))

function chunksByPlace() {
  const [, data = '{}'] = /data-chunks="([^"]*)"/.exec(page) ?? []
  return JSON.parse(data.replaceAll('&quot;', '"')) as Record<string, string[]>
}

/** The message IDs of each catalogue; none if its file does not export them. */
const messagesByPlace = () =>
  Object.entries(chunksByPlace())
    .filter(([place]) => /^\w+-\w+\//.test(place))
    .map(([place, [file = '']]) => {
      const code = readFileSync(join(dist, file), 'utf8')
      const [, json = '{}'] = /JSON\.parse\(`(.*)`\).* as messages\b/s.exec(code) ?? []
      return [place, Object.keys(JSON.parse(json.replaceAll('\\\\', '\\')))] as const
    })

const compressedSize = (file: string) => readFileSync(join(dist, `${file}.br`)).length

/** The chunks that a chunk imports statically. */
function importsOf(file: string) {
  const code = readFileSync(join(dist, file), 'utf8')
  const statements = code.matchAll(/(?:\bfrom|\bimport)["']\.\/([\w.$-]+\.js)["']/g)
  return new Set([...statements].map(([, name = '']) => `assets/${name}`))
}

/** Whether a module has a top-level await. */
function awaits(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(awaits)
  if (typeof part !== 'object' || part === null || !('type' in part)) return false
  const node = part as Node
  if (/Function|Method$/.test(node.type)) return false
  const isWait = node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)
  return isWait || Object.values(node).some(awaits)
}
