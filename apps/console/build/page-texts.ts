import {
  createCompilationErrorMessage,
  createCompiledCatalog,
  getCatalogDependentFiles,
  getCatalogForFile,
  getCatalogs,
} from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { basename, join, relative } from 'node:path'
import type { Plugin } from 'vite'
import { shortIds } from './message-ids.ts'

/** The other catalogues that a page needs besides its own (lingui.config.ts). */
export const below: Record<string, readonly string[]> = {
  messages: [],
  problems: [],
  foreign: [],
  parts: [],
  decode: [],
  // The page adds them itself: the frame of every other page has the same URL.
  home: [],
  'maple-parts': [],
  'maple-image': [],
  'sign-in': ['messages'],
  catalogue: ['messages'],
  dashboard: ['messages'],
  docs: ['messages'],
  dev: ['messages', 'dashboard', 'parts'],
  product: ['messages', 'dashboard', 'parts', 'cedar'],
  'maple-device': ['messages', 'dashboard', 'parts', 'maple', 'maple-parts'],
  // Pages with their own forms.
  account: ['messages', 'dashboard', 'parts'],
  person: ['messages', 'dashboard', 'parts', 'maple-account'],
  'maple-handler': ['messages', 'dashboard', 'parts'],
  'maple-device-handler': ['messages', 'dashboard', 'parts'],
  'maple-rollout': ['messages', 'dashboard', 'parts'],
  'maple-script': ['messages', 'dashboard', 'parts'],
  'maple-template': ['messages', 'dashboard', 'parts'],
}
export const inDashboard = ['messages', 'dashboard']
const sourceLocale = 'en-US'

const pattern = /\/locales\/([^/]+)\/([^/]+)\.po\?page$/

const used = /\bid: ?"([^"]{6})"/g

/**
 * Compiles `maple.po?page` into all texts of that part of the console: one file per page instead of
 * three. A build shortens the message ids, in the catalogues and where they are used.
 */
export function pageTexts(): Plugin[] {
  const root = join(import.meta.dirname, '..')
  const config = getConfig({ cwd: root })
  let short = new Map<string, string>()
  const shortOf = (id: string) => short.get(id) ?? id
  return [
    {
      name: 'grove:page-texts',
      enforce: 'pre',
      load: {
        filter: { id: pattern },
        async handler(id) {
          const [, locale = '', name = ''] = pattern.exec(id) ?? []
          const catalogs = await getCatalogs(config)
          const all: Record<string, string> = {}
          for (const part of [...(below[name] ?? inDashboard), name]) {
            const path = join(root, 'src/locales', locale, `${part}.po`)
            const found = getCatalogForFile(relative(root, path), catalogs)
            if (!found) throw new Error(`lingui.config.ts knows no catalogue ${path}.`)
            const { catalog } = found
            for (const file of await getCatalogDependentFiles(catalog, found.locale))
              this.addWatchFile(file)
            const { messages } = await catalog.getTranslations(found.locale, {
              fallbackLocales: {},
              sourceLocale,
            })
            for (const [key, text] of Object.entries(messages)) all[shortOf(key)] = text
          }
          const { source, errors } = createCompiledCatalog(locale, all, { namespace: 'es' })
          if (errors.length > 0) throw new Error(createCompilationErrorMessage(locale, errors))
          return { code: source, moduleType: 'js' }
        },
      },
    },
    {
      name: 'grove:short-message-ids',
      apply: 'build',
      enforce: 'post',
      async buildStart() {
        const catalogs = await getCatalogs(config)
        // Nothing imports them by name: the table in the page lists their files (ui/i18n/locale.ts).
        for (const locale of config.locales)
          for (const { path } of catalogs) {
            const id = `${join(root, path.replace('{locale}', locale))}.po?page`
            this.emitFile({ type: 'chunk', id, name: basename(path), preserveSignature: 'strict' })
          }
        const known = await Promise.all(catalogs.map((catalog) => catalog.read(sourceLocale)))
        short = shortIds(known.flatMap((messages) => Object.keys(messages ?? {})))
      },
      transform: {
        filter: { id: /\/apps\/console\/src\/.*\.tsx?($|\?)/ },
        handler: (code) => ({
          code: code.replaceAll(used, (_, id: string) => `id: "${shortOf(id)}"`),
          map: null,
        }),
      },
    },
  ]
}
