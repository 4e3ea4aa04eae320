import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'

const repository = join(import.meta.dirname, '../../..')

/** Each as `downloads/grove-<name>.tgz`, with the folder of its package. */
const programs = { cli: 'cli', device: 'device-agent', reader: 'reader' }

/**
 * Puts the programs that people run next to the console, as packages that npm installs from their
 * URL: each is one file with all its dependencies, so that no registry is needed.
 */
export const programTarballs = (): Plugin => ({
  name: 'grove:program-tarballs',
  apply: 'build',
  async generateBundle() {
    for (const [name, folder] of Object.entries(programs)) {
      const source = await packed(join(repository, 'packages', folder))
      this.emitFile({ type: 'asset', fileName: `downloads/grove-${name}.tgz`, source })
    }
  },
})

async function packed(program: string): Promise<Uint8Array> {
  const bundle = await rolldown({
    input: join(program, 'src/main.ts'),
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'module', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return gzipSync(
    tar({
      'package.json': Buffer.from(JSON.stringify(manifestOf(program), null, 2)),
      'main.js': Buffer.from(output[0].code),
      'README.md': readFileSync(join(program, 'README.md')),
      LICENSE: readFileSync(join(program, 'LICENSE')),
      ...licencesOf(output[0].moduleIds),
    }),
    { level: 9 },
  )
}

/**
 * The parts of a package's manifest that its bundle needs: its commands are one file, and no
 * dependency is left.
 */
function manifestOf(program: string): Record<string, unknown> {
  const { bin, name, version, description, license, engines, type, ...rest } = JSON.parse(
    readFileSync(join(program, 'package.json'), 'utf8'),
  ) as Record<string, object>
  const { peerDependencies, peerDependenciesMeta } = rest
  const commands = Object.keys(bin ?? {}).map((command) => [command, 'main.js'])
  return {
    name,
    version,
    description,
    license,
    engines,
    type,
    peerDependencies,
    peerDependenciesMeta,
    bin: Object.fromEntries(commands) as Record<string, string>,
  }
}

/** The licences of the libraries that these modules come from: each must be included. */
function licencesOf(modules: readonly string[]): Record<string, Buffer> {
  const libraries = modules.flatMap((id) => inLibrary.exec(id)?.[0] ?? [])
  const entries = [...new Set(libraries)].toSorted().map((folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
    if (file === undefined) throw new Error(`${folder} has no licence to go along with it`)
    const name = folder.replace(/^.*node_modules[\\/]/, '').replace(/[\\/]/, '-')
    return [`LICENSE-${name}`, readFileSync(join(folder, file))] as const
  })
  return Object.fromEntries(entries)
}

/** The folder of a library, from the path of one of its modules. */
const inLibrary = /^.*node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/

const block = 512

/** A tar archive (POSIX ustar) of files below `package/`; the same files give the same bytes. */
function tar(files: Record<string, Buffer>): Buffer {
  const entries = Object.entries(files).flatMap(([name, content]) => {
    const rest = Buffer.alloc((block - (content.length % block)) % block)
    return [header(`package/${name}`, content.length), content, rest]
  })
  return Buffer.concat([...entries, Buffer.alloc(2 * block)])
}

function header(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(block)
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  bytes.write(name, 0)
  bytes.write(octal(0o755, 8), 100)
  bytes.write(octal(0, 8), 108)
  bytes.write(octal(0, 8), 116)
  bytes.write(octal(size, 12), 124)
  bytes.write(octal(0, 12), 136)
  // The checksum counts its own field as spaces.
  bytes.write('        0', 148)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 7)}\0 `, 148)
  return bytes
}
