import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minify, type Plugin, type Rolldown } from 'vite'

const source = join(import.meta.dirname, 'early.js')
type Bundle = Rolldown.OutputBundle

/**
 * Puts `early.js` as a blocking script into the head of the page, behind the stage configuration: it sets the chosen colour scheme
 * and language before the first paint, and asks for the chunks that this address will need while
 * the entry is still on its way. A file of its own, since the content security policy allows no
 * inline script; hashed, so that it is cached for good.
 */
export function earlyScript(): Plugin {
  let isBuild = false
  return {
    name: 'grove:early-script',
    configResolved(config) {
      isBuild = config.command === 'build'
    },
    async buildStart() {
      if (!isBuild) return
      this.emitFile({ type: 'asset', name: 'early.js', source: await minified(source) })
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const file = Object.values(bundle).find(
          (output) => output.type === 'asset' && output.names.includes('early.js'),
        )
        const src = file ? `/${file.fileName}` : '/build/early.js'
        const chunks = JSON.stringify(chunksByPlace(bundle)).replaceAll('"', '&quot;')
        return html.replace(
          '<!--early-->',
          `<script src="${src}" data-chunks="${chunks}"></script>`,
        )
      },
    },
  }
}

/** Files by what needs them: a catalogue (`en-US/messages`) or a page's path. */
function chunksByPlace(bundle: Bundle): Record<string, string[]> {
  const places: Record<string, string[]> = {}
  const add = (place: string, files: string[]) => {
    places[place] = [...new Set([...(places[place] ?? []), ...files])]
  }
  for (const chunk of Object.values(bundle)) {
    if (chunk.type !== 'chunk' || chunk.isEntry) continue
    // A page whose module went into a shared chunk keeps an empty one of its own.
    for (const id of [...chunk.moduleIds, chunk.facadeModuleId ?? '']) {
      const catalogue = /\/locales\/([^/]+\/[^/]+)\.po\?page$/.exec(id)?.[1]
      const page = /\/routes\/_app(\/.*?)(?:\/index)?\.tsx\?tsr-split=component/.exec(id)?.[1]
      if (catalogue) add(catalogue, [chunk.fileName])
      if (page !== undefined && !page.includes('$')) add(page, withImports(chunk, bundle))
      // Checks the access token before a page of the dashboard opens.
      if (/\/node_modules\/jose\//.test(id)) add('/dashboard', [chunk.fileName])
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
