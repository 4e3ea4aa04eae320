import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { below, inDashboard } from '../../../build/page-texts.ts'
import { textsOf } from './locale.ts'

const src = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(path, 'utf8')

/** The files whose texts are in a catalogue. */
const filesOf = (catalogue: string) =>
  new Set(
    [...read(join(src, `locales/en-US/${catalogue}.po`)).matchAll(/^#: src\/(\S+)$/gm)].map(
      ([, file = '']) => file,
    ),
  )
const withTexts = new Set(
  readdirSync(join(src, 'locales/en-US'))
    .filter((file) => file.endsWith('.po'))
    .flatMap((file) => [...filesOf(file.replace('.po', ''))]),
)

/** A file and what loads with it; a dynamic import loads later, with its own texts. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path) || !existsSync(path)) return found
  found.add(path)
  for (const [, imported = ''] of read(path).matchAll(
    /^(?:import|export) (?!type ).*?from '(\.[^']+)'$/gms,
  ))
    loadedWith(join(dirname(path), imported), found)
  return found
}

const pages = readdirSync(join(src, 'routes/_app/dashboard'), { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.tsx'))

test.each(pages)('%s has the texts of everything that loads with it', (page) => {
  const path = `/dashboard/${page.replace(/(\/?index)?\.tsx$/, '')}`.replaceAll(
    /\/_\w+|_(?=\/)/g,
    '',
  )
  const catalogue = textsOf(path)
  const file = join(src, 'routes/_app/dashboard', page)
  // The first page adds its own, since its URL is a prefix of every other.
  const added = [...read(file).matchAll(/\baddMessages\('([\w-]+)'\)/g)].map(
    ([, name = '']) => name,
  )
  const known = [...(below[catalogue] ?? inDashboard), catalogue, ...added].map((name) =>
    filesOf(name),
  )
  const loaded = [...loadedWith(file)]
    .map((each) => relative(src, each))
    .filter((each) => withTexts.has(each))
  expect(loaded.filter((each) => !known.some((files) => files.has(each)))).toEqual([])
})
