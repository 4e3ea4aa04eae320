import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|svg|json|txt|webmanifest)$/
const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Writes `x.br` and `x.gz` next to each text asset, so that the server compresses nothing at run
 * time. `index.html` is left out: the server writes the stage into it.
 */
export function precompress(): Plugin {
  return {
    name: 'grove:precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) return
      const files = await readdir(dir, { recursive: true })
      await Promise.all(
        files
          .filter((file) => compressible.test(file))
          .map((file) => compressFile(join(dir, file))),
      )
    },
  }
}

async function compressFile(path: string) {
  const content = await readFile(path)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  await writeFile(`${path}.br`, await brotli(content, { params }))
  await writeFile(`${path}.gz`, await gzipped(content, { level: 9 }))
}
