import { build } from 'esbuild'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '../../scripts/workspace.mjs'
import { row, type Benchmark } from './benchmark.ts'
import { peerSizes, type PeerSize } from './support/peer-sizes.ts'

export const authClientSize: Benchmark = {
  name: 'auth-client',
  title: 'Authentication client',
  how: 'The package’s entry bundled and minified by esbuild for the browser, react left out, each file compressed by gzip at level 9. The core is the entry and what it imports statically; a dynamic import is a file of its own. The whole with OpenID is the entry `oidc` in one file that loads nothing later. The others are installed at the versions named and bundled by the same build, with all that they need.',
  run: async (bench) => {
    const { core, later } = await bundle('src/index.ts', true)
    const whole = await bundle('src/oidc/index.ts', false)
    const peers = await peerSizes(() => bench.folder('peer'))
    return {
      rows: [
        row('core, minified and gzipped', core / 1000, 'kB', { budget: { atMost: 6 } }),
        row('loaded when it is needed (external login, verification)', later / 1000, 'kB'),
        row('the whole with OpenID', whole.core / 1000, 'kB', { budget: { atMost: 12 } }),
      ],
      details: table(core, peers),
    }
  },
}

function table(core: number, peers: readonly PeerSize[]): string {
  const lines = peers
    .toSorted((a, b) => (a.bytes ?? Infinity) - (b.bytes ?? Infinity))
    .map(({ name, version, bytes }) => {
      const size = bytes === undefined ? 'not measured: does not install here' : kilobytes(bytes)
      return `| ${name} ${version} | ${size} |`
    })
  return ['| Client | kB |', '|---|---|', `| **this one** | ${kilobytes(core)} |`, ...lines].join(
    '\n',
  )
}

const kilobytes = (bytes: number) => (bytes / 1000).toFixed(2)

async function bundle(source: string, splitting: boolean) {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, 'packages/auth-client', source)],
    bundle: true,
    splitting,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    external: ['react'],
    outdir: 'out',
    absWorkingDir: root,
    metafile: true,
    write: false,
  })
  const size = new Map(
    outputFiles.map(({ path, contents }) => [
      path.slice(root.length),
      gzipSync(contents, { level: 9 }).length,
    ]),
  )
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) =>
    entryPoint?.endsWith(source),
  )?.[0]
  if (!entry) throw new Error('esbuild wrote no entry.')
  const core = new Set<string>()
  const add = (path: string) => {
    if (core.has(path)) return
    core.add(path)
    for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) add(next)
  }
  add(entry)
  const sum = (paths: string[]) => paths.reduce((bytes, path) => bytes + (size.get(path) ?? 0), 0)
  const all = [...size.keys()]
  return {
    core: sum(all.filter((path) => core.has(path))),
    later: sum(all.filter((path) => !core.has(path))),
  }
}
