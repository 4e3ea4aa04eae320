import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import type { Plugin } from 'vite'

const repository = join(import.meta.dirname, '../../..')
const cli = join(repository, 'packages/cli')

/**
 * Puts the command line tool beside the console, as a package that npm installs from its address: with
 * all that it needs in one file, so that no registry has to be reached.
 */
export const cliTarball = (): Plugin => ({
  name: 'grove:cli-tarball',
  apply: 'build',
  async generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'downloads/grove-cli.tgz', source: await packed() })
  },
})

async function packed(): Promise<Uint8Array> {
  const bundle = await rolldown({
    input: join(cli, 'src/main.ts'),
    platform: 'node',
    resolve: { conditionNames: ['source', 'node', 'import', 'module', 'default'] },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const { name, version, description, license, engines, type } = JSON.parse(
    readFileSync(join(cli, 'package.json'), 'utf8'),
  ) as Record<string, unknown>
  const manifest = { name, version, description, license, engines, type, bin: { grove: 'main.js' } }
  const fflate = readFileSync(join(repository, 'node_modules/fflate/LICENSE'))
  return gzipSync(
    tar({
      'package.json': Buffer.from(JSON.stringify(manifest, null, 2)),
      'main.js': Buffer.from(output[0].code),
      'README.md': readFileSync(join(cli, 'README.md')),
      LICENSE: readFileSync(join(cli, 'LICENSE')),
      'LICENSE-fflate': fflate,
    }),
    { level: 9 },
  )
}

const block = 512

/** A tape archive (POSIX ustar) of files below `package/`, the same bytes for the same files. */
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
  // The sum counts its own place as spaces.
  bytes.write('        0', 148)
  bytes.write('ustar\x0000', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${octal(sum, 7)}\0 `, 148)
  return bytes
}
