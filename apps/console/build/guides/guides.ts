import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import type { Plugin } from 'vite'
import type { Attributes, GuideSection, Heading, LoadedGuide } from '../../src/ui/guide/guide.ts'
import { headingsOf, parse, sectionsOf, treeOf, type LinkOf } from './guide-tree.ts'

const repository = join(import.meta.dirname, '../../../..')
const locales = ['en-US', 'ru-RU'] as const
type Locale = (typeof locales)[number]
const sourceLocale = 'en-US'
/** The folder of each language's guides; a guide missing there is shown in English. */
const folders: Record<Locale, string> = { 'en-US': 'docs', 'ru-RU': 'docs/ru' }

export interface Guide {
  /** The last segment of its URL; `README` for the list of guides. */
  name: string
  title: string
  /** The language it is written in. */
  locale: Locale
  /** Relative to the root of the repository. */
  file: string
  headings: readonly Heading[]
}

const read = (file: string) => readFileSync(join(repository, file), 'utf8')

const parsed = new Map<string, ReturnType<typeof parse>>()

/** Parses a file once per version of its text: each guide needs the headings of all the others. */
function parseFile(file: string) {
  const text = read(file)
  const tokens = parsed.get(text) ?? parse(text)
  parsed.set(text, tokens)
  return tokens
}

interface Group {
  /** The audience of its guides. */
  reader: string
  guides: { title: string; file: string }[]
}

/** The list of guides: a heading per audience, and a link per guide. */
function groupsIn(locale: Locale): Group[] {
  const index = `${folders[locale]}/README.md`
  const [, ...parts] = read(index).split(/^## /m)
  return parts.map((part) => ({
    reader: /.*/.exec(part)?.[0] ?? '',
    guides: [...part.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].map(
      ([, title = '', href = '']) => ({
        title,
        file: sourceOf(normalize(join(dirname(index), href))),
      }),
    ),
  }))
}

const filesOf = ({ guides }: Group) => guides.map(({ file }) => file)

const sourceOf = (file: string) => file.replace(/^docs\/ru\//, 'docs/')

/** The files of the guides by name, starting with the list itself. */
function listed(): Map<string, string> {
  const files = ['docs/README.md', ...groupsIn(sourceLocale).flatMap(filesOf)]
  return new Map(files.map((file) => [nameOf(file), file]))
}

/** `docs/publish.md` is `publish`, `packages/cli/README.md` is `cli`. */
function nameOf(file: string): string {
  const [name = '', folder = ''] = file.replace(/\.md$/, '').split('/').toReversed()
  return name !== 'README' ? name : folder === 'docs' ? name : folder
}

function fileIn(locale: Locale, file: string): string {
  const translated = file.replace(/^docs\//, `${folders[locale]}/`)
  return existsSync(join(repository, translated)) ? translated : file
}

/** All guides in a language, with the anchors of the English ones. */
export function guidesIn(locale: Locale): Map<string, Guide> {
  const titles = new Map(
    groupsIn(locale).flatMap((group) => group.guides.map(({ title, file }) => [file, title])),
  )
  const entries = [...listed()].map(([name, source]): [string, Guide] => {
    const file = fileIn(locale, source)
    const english = headingsOf(parseFile(source))
    const own = headingsOf(parseFile(file))
    if (name !== 'README' && !titles.has(source))
      throw new Error(`${folders[locale]}/README.md does not list ${source}.`)
    const depths = (headings: readonly Heading[]) => headings.map(({ depth }) => depth).join()
    if (depths(own) !== depths(english))
      throw new Error(`${file} has other headings than ${source}: anchors would lead astray.`)
    return [
      name,
      {
        name,
        title: titles.get(source) ?? own[0]?.text ?? name,
        locale: file === source ? sourceLocale : locale,
        file,
        headings: own.map((heading, at) => ({ ...heading, id: english[at]?.id ?? '' })),
      },
    ]
  })
  return new Map(entries)
}

/** A guide's links lead to other guides in the console, and nowhere else in the repository. */
function linksOf(guide: Guide, guides: ReadonlyMap<string, Guide>): LinkOf {
  return (href): Attributes | undefined => {
    if (/^https?:/.test(href)) return { href }
    // Pages and calls of the platform that serves the console.
    if (href.startsWith('/')) return { href }
    const [path = '', anchor] = decodeURI(href).split('#')
    const file = path === '' ? guide.file : normalize(join(dirname(guide.file), path))
    const source = sourceOf(file)
    const target = [...guides.values()].find((each) => sourceOf(each.file) === source)
    if (!target) return undefined
    const to = target.name === 'README' ? '' : target.name
    if (anchor === undefined) return { to }
    const own = headingsOf(parseFile(existsSync(join(repository, file)) ? file : target.file))
    const place = own.findIndex(({ id }) => id === anchor)
    const hash = target.headings[place]?.id
    if (hash === undefined) throw new Error(`${guide.file} links to ${href}, which has no heading.`)
    return { to, hash }
  }
}

export function load(guide: Guide, guides: ReadonlyMap<string, Guide>): LoadedGuide {
  const { locale, file, headings } = guide
  const ids = headings.map(({ id }) => id)
  return { locale, headings, nodes: treeOf(parseFile(file), ids, linksOf(guide, guides)) }
}

/** A guide's sections, without what it says twice. */
const searched = ({ name, file, headings }: Guide): GuideSection[] =>
  sectionsOf(parseFile(file), headings).map((section) => ({ guide: name, ...section }))

const virtual = 'virtual:guides'
const guideId = /^virtual:guides\/(en-US|ru-RU)\/(search|guide\/[\w-]+)$/
const code = (value: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

/**
 * Offers the guides of `docs/` to the console as trees, one module per guide: no page has to trust
 * any markup, and no guide loads before it is opened.
 */
export function guides(): Plugin {
  return {
    name: 'grove:guides',
    resolveId: {
      filter: { id: /^virtual:guides(\/|$)/ },
      handler: (id) => id,
    },
    load: {
      filter: { id: /^virtual:guides(\/|$)/ },
      handler(id) {
        for (const locale of locales)
          for (const { file } of guidesIn(locale).values())
            this.addWatchFile(join(repository, file))
        if (id === virtual) return table()
        const [, locale, what = ''] = guideId.exec(id) ?? []
        const all = guidesIn(locale as Locale)
        if (what === 'search')
          return `export const sections = ${code([...all.values()].filter(({ name }) => name !== 'README').flatMap(searched))}`
        const guide = all.get(what.replace('guide/', ''))
        if (!guide) throw new Error(`There is no guide ${relative(repository, id)}.`)
        return `export const guide = ${code(load(guide, all))}`
      },
    },
  }
}

/** The guides by audience, their titles, and how to load each. */
function table(): string {
  const of = (locale: Locale) => {
    const all = [...guidesIn(locale).values()]
    const titles = all.map(({ name, title }) => [name, title])
    const loaders = all.map(
      ({ name }) => `${JSON.stringify(name)}: () => import('${virtual}/${locale}/guide/${name}')`,
    )
    const groups = groupsIn(locale).map((group) => ({
      reader: group.reader,
      names: filesOf(group).map(nameOf),
    }))
    return `${JSON.stringify(locale)}: {
      groups: ${JSON.stringify(groups)},
      titles: ${JSON.stringify(Object.fromEntries(titles))},
      guides: { ${loaders.join(', ')} },
      search: () => import('${virtual}/${locale}/search'),
    }`
  }
  return `export const guides = { ${locales.map(of).join(', ')} }`
}
