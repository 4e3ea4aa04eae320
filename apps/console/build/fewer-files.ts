import { createHash } from 'node:crypto'
import type { Plugin, Rolldown } from 'vite'
import { isOfList } from './chunks.ts'

type Bundle = Rolldown.OutputBundle

/** Never used by the dashboard's pages. */
const elsewhere = /\/(features|routes\/_app)\/(catalogue|dev|login|sign-in|signup)/

/**
 * Saves each page four or five requests: the bundler's runtime moves into `vendor`, a chunk that only
 * re-exports another is replaced by it, and the dashboard's style sheets become two: one for its
 * frame and lists, and one for everything else, which loads with the first part that needs it.
 */
export function fewerFiles(): Plugin {
  return {
    name: 'grove:fewer-files',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const renamed = new Map<string, string>()
        inlineRuntime(bundle, renamed)
        dropReexports(bundle, renamed)
        for (const sheet of mergeStyles(bundle, renamed)) this.emitFile({ type: 'asset', ...sheet })
        for (const output of Object.values(bundle)) {
          if (output.type === 'chunk') output.code = rename(output.code, renamed)
          else if (output.fileName.endsWith('.html'))
            output.source = withoutRepeats(rename(String(output.source), renamed))
        }
      },
    },
  }
}

const chunksOf = (bundle: Bundle) =>
  Object.values(bundle).filter((output) => output.type === 'chunk')

function inlineRuntime(bundle: Bundle, renamed: Map<string, string>) {
  const chunks = chunksOf(bundle)
  const runtime = chunks.find(({ name }) => name === 'rolldown-runtime')
  const vendor = chunks.find(({ name }) => name === 'vendor')
  if (!runtime || !vendor) return
  const [, exported = ''] = /export\{([^}]+)\};?\s*$/.exec(runtime.code) ?? []
  const members = exported.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2:$1')
  const body = runtime.code.replace(/export\{[^}]+\};?\s*$/, '')
  const use = new RegExp(
    `import\\{([^}]+)\\}from"\\./${runtime.fileName.replace(/^assets\//, '').replaceAll('.', '\\.')}";`,
  )
  const local = (list: string) => list.replaceAll(' as ', ':')
  for (const chunk of chunks) {
    const [statement, list = ''] = use.exec(chunk.code) ?? []
    if (statement === undefined) continue
    if (chunk === vendor) {
      // A separate scope, so that its names are as short as those around it.
      const own = `const runtime$=(()=>{${body};return{${members}}})(),{${local(list)}}=runtime$;`
      chunk.code = `${chunk.code.replace(statement, () => own)};export{runtime$};`
    } else {
      const from = vendor.fileName.replace(/^assets\//, '')
      const imported = `import{runtime$}from"./${from}";const{${local(list)}}=runtime$;`
      chunk.code = chunk.code.replace(statement, () => imported)
    }
  }
  renamed.set(runtime.fileName, vendor.fileName)
  delete bundle[runtime.fileName]
}

/** A page whose module moved into a shared chunk keeps a chunk that only re-exports it. */
function dropReexports(bundle: Bundle, renamed: Map<string, string>) {
  for (const { fileName, code } of chunksOf(bundle)) {
    const [, list = '', from] =
      /^(?:export\{([^}]+)\}from|import)"\.\/([^"]+)";\s*$/.exec(code) ?? []
    if (from === undefined) continue
    const members = list.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2:m.$1')
    const call = `import(\`./${fileName.replace(/^assets\//, '')}\`)`
    for (const chunk of chunksOf(bundle))
      chunk.code = chunk.code.replaceAll(call, `import(\`./${from}\`).then(m=>({${members}}))`)
    renamed.set(fileName, `assets/${from}`)
    delete bundle[fileName]
  }
}

function mergeStyles(bundle: Bundle, renamed: Map<string, string>) {
  const chunks = chunksOf(bundle)
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const sheets = { dashboard: new Set<string>(), pages: new Set<string>() }
  const seen = new Set<string>()
  // Sheets in import order, so that a page's rules come after those of its frame.
  const add = (chunk: Rolldown.OutputChunk) => {
    if (seen.has(chunk.fileName)) return
    seen.add(chunk.fileName)
    for (const name of chunk.imports) {
      const imported = byName.get(name)
      if (imported) add(imported)
    }
    // It holds the routes of all pages, but is the dashboard's frame all the same.
    const isFrame = chunk.name === 'dashboard'
    const isElsewhere =
      chunk.isEntry || (!isFrame && chunk.moduleIds.some((id) => elsewhere.test(id)))
    const isInPage = chunk.name === 'app' || chunk.name === 'vendor'
    if (isElsewhere || isInPage) return
    for (const css of chunk.viteMetadata?.importedCss ?? [])
      sheets[isOfList(chunk.name) ? 'dashboard' : 'pages'].add(css)
  }
  for (const chunk of chunks) add(chunk)
  return Object.entries(sheets).flatMap(([name, parts]) => {
    const source = [...parts].map((part) => textOf(bundle[part])).join('')
    if (source === '') return []
    const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8)
    const fileName = `assets/${name}-${hash}.css`
    for (const part of parts) {
      renamed.set(part, fileName)
      delete bundle[part]
    }
    return [{ fileName, source }]
  })
}

const textOf = (output: Bundle[string] | undefined) =>
  output?.type === 'asset' ? String(output.source) : ''

function rename(text: string, renamed: Map<string, string>) {
  for (const [from, to] of renamed) text = text.replaceAll(from, to)
  return text
}

/** Removes repeated references to the same file. */
function withoutRepeats(html: string) {
  const seen = new Set<string>()
  const chunks = /(?<=data-chunks=")[^"]*/
  const places: Record<string, string[]> = JSON.parse(
    chunks.exec(html)?.[0].replaceAll('&quot;', '"') ?? '{}',
  )
  for (const [place, files] of Object.entries(places))
    places[place] = [...new Set(files)].filter((file) => !html.includes(`"/${file}"`))
  const rest = JSON.stringify(places).replaceAll('"', '&quot;')
  return html
    .replace(chunks, () => rest)
    .replaceAll(
      /\s*<(?:script|link)[^>]* (?:src|href)="(\/assets\/[^"]+)"[^>]*>(?:<\/script>)?/g,
      (tag, file) => {
        if (seen.has(file)) return ''
        seen.add(file)
        return tag
      },
    )
}
