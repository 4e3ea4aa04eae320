import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minify, type Plugin, type Rolldown } from 'vite'
import { isNoCatalogue } from './chunks.ts'
import { routeParts } from '../src/app/route-parts.ts'
import { pageCatalogues } from '../src/ui/i18n/page-catalogues.ts'

const source = join(import.meta.dirname, 'early.js')
type Bundle = Rolldown.OutputBundle

/**
 * Puts `early.js` into the head of the page as an inline script, which the content security policy
 * names by its hash: it sets the chosen colour scheme and language before the first paint, and asks
 * for the chunks that this address will need while the entry is still on its way.
 */
export function earlyScript(): Plugin {
  return {
    name: 'grove:early-script',
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle }) {
        if (!bundle) return html.replace('<!--early-->', '<script src="/build/early.js"></script>')
        const code = await minified(source)
        const data = Object.entries({
          chunks: chunksByPlace(bundle),
          texts: pageCatalogues,
          routes: routeParts,
        })
          .map(
            ([name, value]) => `data-${name}="${JSON.stringify(value).replaceAll('"', '&quot;')}"`,
          )
          .join(' ')
        return startFirst(html, bundle).replace(
          '<!--early-->',
          () => `<script ${data}>${code}</script>`,
        )
      },
    },
  }
}

/** First, and `async`: it runs without waiting for the scripts that the page begins with. */
function startFirst(html: string, bundle: Bundle) {
  const start = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === 'start')
  if (!start) throw new Error('There is no chunk named start.')
  // The tag that Vite wrote for it goes with the other repeats (fewer-files.ts).
  const tag = `<script type="module" async crossorigin src="/${start.fileName}"></script>`
  return html.replace('<!--early-->', `<!--early-->\n    ${tag}`)
}

/** Files by what needs them: a catalogue (`en-US/messages`), the routes of a part, or a page's path. */
function chunksByPlace(bundle: Bundle): Record<string, string[]> {
  const places: Record<string, string[]> = {}
  const add = (place: string, files: string[]) => {
    places[place] = [...new Set([...(places[place] ?? []), ...files])]
  }
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk') continue
    if (chunk.isEntry && isNoCatalogue(chunk.facadeModuleId ?? '')) continue
    // A page whose module went into a shared chunk keeps an empty one of its own.
    for (const id of [...chunk.moduleIds, chunk.facadeModuleId ?? '']) {
      const catalogue = /\/locales\/([^/]+\/[^/]+)\.po\?page$/.exec(id)?.[1]
      const page = /\/routes\/_app(\/.*?)(?:\/index)?\.tsx\?tsr-split=component/.exec(id)?.[1]
      if (catalogue) add(catalogue, [chunk.fileName])
      if (page !== undefined && !page.includes('$')) add(page, withImports(chunk, bundle))
      // Checks the access token before a page of the dashboard opens.
      if (/\/auth-client\/.*\/verify-token\./.test(id)) add('dashboard', [chunk.fileName])
      const routes = /\/src\/app\/routes-of\/(\w+)\.ts$/.exec(id)?.[1]
      if (routes !== undefined) add(routes, withImports(chunk, bundle))
      // Asks for the ways to sign in.
      if (/\/auth-client\/.*\/sign-in-calls\./.test(id)) add('/login', [chunk.fileName])
    }
  }
  return places
}

/** A chunk with its styles and those of the chunks it imports; the entry's are in the page. */
function withImports(
  chunk: Rolldown.OutputChunk,
  bundle: Bundle,
  seen = new Set([chunk.fileName]),
): string[] {
  const css = [...(chunk.viteMetadata?.importedCss ?? [])]
  const imports = chunk.imports.flatMap((name) => {
    const imported = bundle[name]
    const isInPage =
      imported?.type !== 'chunk' || imported.isEntry || /^(vendor|app)$/.test(imported.name)
    if (isInPage || seen.has(name)) return []
    seen.add(name)
    return withImports(imported, bundle, seen)
  })
  return [chunk.fileName, ...css, ...imports]
}

const minified = async (path: string) =>
  (await minify('early.js', await readFile(path, 'utf8'))).code.trim()
