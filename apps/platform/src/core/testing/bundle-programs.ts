import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { root } from './program-bundle.ts'

const sources = ['apps/platform/src', 'packages/device-agent/src'].map((path) => join(root, path))

// A thread or a process that these start runs from its source.
const isProgram = (file: string, text: string) =>
  basename(file) === 'main.ts' || /process\.argv|\bparseArgs\(/.test(text)

/**
 * The programs that tests start, each bundled into one file with the modules that they share: it starts
 * in a third of the time that a thousand modules take.
 */
export async function bundlePrograms() {
  const cache = join(root, 'node_modules/.cache/grove')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'programs-'))
  await build({
    entryPoints: (await Promise.all(sources.map(programsBelow))).flat(),
    outdir: folder,
    outbase: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['source'],
    plugins: [packagesStay, placesStay],
    logLevel: 'error',
  })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function programsBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const files = names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return files.filter((file, index) => isProgram(file, texts[index] ?? ''))
}

/** What npm installed is loaded from where it is. */
const packagesStay: Plugin = {
  name: 'packages stay',
  setup: (build) =>
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@grove/') ? undefined : { path, external: true },
    ),
}

/** A module finds its migrations, threads and files beside its source. */
const placesStay: Plugin = {
  name: 'places stay',
  setup: (build) =>
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const url = JSON.stringify(pathToFileURL(path).href)
      return { contents: text.replaceAll('import.meta.url', url), loader: 'ts' }
    }),
}
