import {
  createCompilationErrorMessage,
  createCompiledCatalog,
  getCatalogDependentFiles,
  getCatalogForFile,
  getCatalogs,
} from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { join, relative } from 'node:path'
import type { Plugin } from 'vite'

/** What a page needs besides its own catalogue (lingui.config.ts). */
const below: Record<string, readonly string[]> = {
  messages: [],
  'sign-in': ['messages'],
  catalogue: ['messages'],
  dashboard: ['messages'],
  dev: ['messages', 'dashboard'],
  product: ['messages', 'dashboard', 'cedar'],
}
const inDashboard = ['messages', 'dashboard']
const sourceLocale = 'en-US'

const pattern = /\/locales\/([^/]+)\/([^/]+)\.po\?page$/

/**
 * Compiles `maple.po?page` into all the texts of that part of the console: one file a page instead
 * of three.
 */
export function pageTexts(): Plugin {
  const root = join(import.meta.dirname, '..')
  const config = getConfig({ cwd: root })
  return {
    name: 'grove:page-texts',
    enforce: 'pre',
    load: {
      filter: { id: pattern },
      async handler(id) {
        const [, locale = '', name = ''] = pattern.exec(id) ?? []
        const catalogs = await getCatalogs(config)
        const all = {}
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
          Object.assign(all, messages)
        }
        const { source, errors } = createCompiledCatalog(locale, all, { namespace: 'es' })
        if (errors.length > 0) throw new Error(createCompilationErrorMessage(locale, errors))
        return { code: source, moduleType: 'js' }
      },
    },
  }
}
