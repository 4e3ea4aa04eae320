import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse, sectionsOf, slugs, treeOf } from '../apps/console/build/guides/guide-tree.ts'
import { guidesIn, load } from '../apps/console/build/guides/guides.ts'
import { guideAbout, pageGuides } from '../apps/console/src/features/docs/page-guides.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const locales = ['en-US', 'ru-RU'] as const

/** Every text of the console in a language. */
function textsOf(locale: string): Set<string> {
  const folder = join(root, 'apps/console/src/locales', locale)
  const texts = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^msgstr ((?:".*"\n?)+)/gm)].map(
      ([, lines = '']) =>
        lines
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as string)
          .join('')
          .toLocaleLowerCase(locale),
    ),
  )
  return new Set(texts)
}

test.each(locales)('every guide is a tree whose links lead somewhere, in %s', (locale) => {
  const guides = guidesIn(locale)
  expect(guides.size).toBeGreaterThan(10)
  for (const guide of guides.values()) expect(load(guide, guides).nodes.length).toBeGreaterThan(1)
})

// Bold words in the guides for people who use the console are texts that they see there.
test.each(locales)('bold words of the guides for the console are its own, in %s', (locale) => {
  const texts = textsOf(locale)
  const own = [...guidesIn(locale).values()].filter((guide) =>
    /^docs\/(ru\/)?(publish|first-\w+|administrator)\.md$/.test(guide.file),
  )
  expect(own.length).toBeGreaterThan(2)
  const unknown = own.flatMap(({ file }) => {
    const bold = readFileSync(join(root, file), 'utf8').matchAll(/\*\*([^*]+)\*\*/g)
    return [...bold]
      .map(([, text = '']) => text.replaceAll(/\s+/g, ' '))
      .filter((text) => !texts.has(text.toLocaleLowerCase(locale)))
      .map((text) => `${file}: ${text}`)
  })
  expect(unknown).toEqual([])
})

test('Russian guides have the anchors of the English ones', () => {
  const english = guidesIn('en-US')
  for (const { name, headings } of guidesIn('ru-RU').values())
    expect(headings.map(({ id }) => id)).toEqual(english.get(name)?.headings.map(({ id }) => id))
})

test('anchors are those that viewers of Markdown give', () => {
  expect(slugs(['Get a secret', '1. Make a key, and go', 'Ключи – и всё', 'Get a secret'])).toEqual(
    ['get-a-secret', '1-make-a-key-and-go', 'ключи--и-всё', 'get-a-secret-1'],
  )
})

const tree = (markdown: string) => treeOf(parse(markdown), ['a', 'b'], (href) => ({ href }))

test('markup in a guide stops the build', () => {
  expect(() => tree('<script>alert(1)</script>')).toThrow('A guide has no html')
  expect(() => tree('An <img src=x onerror=alert(1)> here')).toThrow('A guide has no html')
  expect(() => tree('![picture](x.png)')).toThrow('A guide has no image')
  expect(tree('<!-- a note -->\n\nText')).toEqual([['p', {}, 'Text']])
})

test('texts of a guide are texts, whatever is in them', () => {
  expect(tree('Use `<b>` & **“x”**.')).toEqual([
    ['p', {}, 'Use ', ['code', {}, '<b>'], ' & ', ['strong', {}, '“x”'], '.'],
  ])
  expect(tree('```sh\necho <b> & "c"\n```')).toEqual([['pre', { lang: 'sh' }, 'echo <b> & "c"']])
})

test('a section knows the titles above it', () => {
  const tokens = parse('# A\n\none\n\n## B\n\n- two\n\n### C\n\nthree\n\n## D')
  const headings = [1, 2, 3, 2].map((depth, at) => ({ depth, id: `${at}`, text: 'ABCD'[at] ?? '' }))
  expect(sectionsOf(tokens, headings)).toEqual([
    { id: '0', titles: ['A'], text: 'one' },
    { id: '1', titles: ['A', 'B'], text: 'two' },
    { id: '2', titles: ['A', 'B', 'C'], text: 'three' },
    { id: '3', titles: ['A', 'D'], text: '' },
  ])
})

test('what a page’s “?” leads to is a section that is there', () => {
  const guides = guidesIn('en-US')
  for (const address of Object.keys(pageGuides)) {
    const { guide = '', hash } = guideAbout(`${address}?q=x`) ?? {}
    const ids = guides.get(guide)?.headings.map(({ id }) => id) ?? []
    expect(ids, address).toContain(hash ?? ids[0])
  }
  expect(Object.keys(pageGuides)).toEqual(Object.keys(pageGuides).toSorted())
  expect(guideAbout('/dashboard/maple/products/0198')).toMatchObject({ guide: 'first-device' })
  expect(guideAbout('/')).toBeUndefined()
})
