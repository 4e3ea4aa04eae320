import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minify, type Plugin, type Rolldown } from 'vite'
import { isNoCatalogue } from './chunks.ts'
import { routeParts } from '../src/app/route-parts.ts'
import { pageCatalogues } from '../src/ui/i18n/page-catalogues.ts'

const source = join(import.meta.dirname, 'early.js')
type Bundle = Rolldown.OutputBundle

/**
 * Puts `early.js` into the page's head as an inline script, which the content security policy allows
 * by its hash: it sets the chosen colour scheme and language before the first paint, and requests the
 * chunks that this URL will need while the entry is still loading.
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

/** First, and `async`: it runs without waiting for the page's other scripts. */
function startFirst(html: string, bundle: Bundle) {
  const start = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === 'start')
  if (!start) throw new Error('There is no chunk named start.')
  // `fewer-files.ts` removes the tag that Vite wrote for it, with the other duplicates.
  const tag = `<script type="module" async crossorigin src="/${start.fileName}"></script>`
  return html.replace('<!--early-->', `<!--early-->\n    ${tag}`)
}

/** Files by who needs them: a catalogue (`en-US/messages`), the routes of a part, or a page's path. */
function chunksByPlace(bundle: Bundle): Record<string, string[]> {
  const places: Record<string, string[]> = {}
  const add = (place: string, files: string[]) => {
    places[place] = [...new Set([...(places[place] ?? []), ...files])]
  }
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk') continue
    if (chunk.isEntry && isNoCatalogue(chunk.facadeModuleId ?? '')) continue
    // A page whose module moved into a shared chunk keeps an empty chunk.
    for (const id of [...chunk.moduleIds, chunk.facadeModuleId ?? '']) {
      const catalogue = /\/locales\/([^/]+\/[^/]+)\.po\?page$/.exec(id)?.[1]
      const page = /\/routes\/_app(\/.*?)(?:\/index)?\.tsx\?tsr-split=component/.exec(id)?.[1]
      if (catalogue) add(catalogue, [chunk.fileName])
      if (page !== undefined && !page.includes('$')) add(page, withImports(chunk, bundle))
      // Checks the access token before a page of the dashboard opens.
      if (/\/auth-client\/.*\/verify-token\./.test(id)) add('dashboard', [chunk.fileName])
      const routes = /\/src\/app\/routes-of\/(\w+)\.ts$/.exec(id)?.[1]
      if (routes !== undefined) add(routes, withImports(chunk, bundle))
      // Requests the ways to sign in.
      if (/\/auth-client\/.*\/sign-in-calls\./.test(id)) add('/login', [chunk.fileName])
    }
  }
  return places
}

/**
 * A chunk with its style sheets and those of the chunks it imports; the entry's are in the page
 * already.
 */
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
