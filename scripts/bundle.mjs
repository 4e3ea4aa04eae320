// Bundles programs of the platform: few files start much sooner than a thousand modules.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { build } from 'esbuild'
import { root } from './workspace.mjs'

const platform = join(root, 'apps/platform/src')

const ownUrl =
  /(?<start>start(?:Thread|Process)\(\s*new URL\()'(?<path>[^']+)', import\.meta\.url|import\.meta\.url/g

/**
 * Bundles programs, and the threads and processes that they start, with shared chunks. All files are in
 * one folder, so that each program finds its threads there.
 * @param {string[]} programs
 * @param {string} folder
 */
export async function bundle(programs, folder) {
  const entries = [...new Set([...programs, ...threads()])]
  await build({
    entryPoints: entries.map((file) => ({ in: file, out: nameOf(file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['source'],
    sourcemap: true,
    sourcesContent: false,
    plugins: [packagesStay, placesStay(folder)],
    logLevel: 'error',
  })
}

/** @param {string} file */
export const nameOf = (file) =>
  relative(root, file)
    .replace(/\.ts$/, '')
    .replaceAll(sep, '/')
    .replace('apps/platform/src/', '')
    .replaceAll('/', '-')

const threads = () =>
  readdirSync(platform, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => {
      const file = join(platform, name)
      return [...readFileSync(file, 'utf8').matchAll(ownUrl)].flatMap(({ groups }) =>
        groups?.['path'] === undefined ? [] : [resolve(dirname(file), groups['path'])],
      )
    })

// Each has hundreds of files.
const inlined = /^(@grove\/|kysely$|typebox(\/|$))/

/** Packages that npm installed are loaded from where they are. @type {import('esbuild').Plugin} */
const packagesStay = {
  name: 'packages stay',
  setup: (bundler) =>
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || inlined.test(path) ? undefined : { path, external: true },
    ),
}

/**
 * Lets a bundled module find its migrations and files next to its source, and its threads in the folder.
 * @returns {import('esbuild').Plugin}
 */
const placesStay = (/** @type {string} */ folder) => ({
  name: 'places stay',
  setup: (bundler) =>
    bundler.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const text = readFileSync(file, 'utf8')
      if (!text.includes('import.meta.url')) return undefined
      const source = relative(folder, file).replaceAll(sep, '/')
      const contents = text.replaceAll(ownUrl, (_, start, path) =>
        path === undefined
          ? `new URL('${source}', import.meta.url).href`
          : `${start}'./${nameOf(resolve(dirname(file), path))}.js', import.meta.url`,
      )
      return { contents, loader: 'ts' }
    }),
})
