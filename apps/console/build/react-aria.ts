import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const require = createRequire(import.meta.url)
const modules = join(dirname(require.resolve('react-aria-components/package.json')), '..')
const ownLocales = ['en-US', 'ru-RU']

/**
 * Prepares React Aria for the build. Under the condition `source`, which our packages use too, its
 * packages name source files that they do not publish, so its modules are resolved here. Of its 34
 * languages the build keeps the console's two.
 */
export function reactAria(): Plugin {
  return {
    name: 'grove:react-aria',
    enforce: 'pre',
    resolveId: {
      filter: { id: /^(react-aria|react-stately|react-aria-components)\/|^@internationalized\// },
      handler: resolveModule,
    },
    transform: {
      filter: { id: /\/react-(aria|stately)(-components)?\/.*(intlStrings|LiveAnnouncer)\.mjs$/ },
      handler: (code) => ({ code: withoutMarkup(keepOwnLocales(code)), map: null }),
    },
  }
}

function resolveModule(id: string): string {
  if (id.startsWith('@')) return join(modules, id, 'dist/index.mjs')
  const [name = '', ...path] = id.split('/')
  return join(modules, name, 'dist/exports', `${path.join('/')}.mjs`)
}

/** Trusted Types refuse any assignment to `innerHTML`, even of an empty string. */
const withoutMarkup = (code: string) => code.replaceAll(".innerHTML = ''", '.replaceChildren()')

/** A dictionary imports each language on one line and lists it on another. */
export function keepOwnLocales(code: string): string {
  const localeOf = (line: string) =>
    /^import .*\/([a-z]{2}-[A-Z]{2})\.mjs";$|^\s*"([a-z]{2}-[A-Z]{2})":/.exec(line)
  return code
    .split('\n')
    .filter((line) => {
      const [, imported, listed] = localeOf(line) ?? []
      const locale = imported ?? listed
      return locale === undefined || ownLocales.includes(locale)
    })
    .join('\n')
}
