import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform, version } from 'esbuild'

const cache = new URL('../node_modules/.cache/grove-typescript/', import.meta.url)
const hashOf = (...parts) => createHash('sha256').update(parts.join('\0')).digest('hex')

/** Strips the types of a module. The result is cached until the module changes. */
export async function load(url, context, next) {
  const { protocol, pathname } = new URL(url)
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  const text = await readFile(file, 'utf8')
  const kept = new URL(`${hashOf(file)}.js`, cache)
  const mark = `\n//${hashOf(version, text)}`
  let source = await readFile(kept, 'utf8').catch(() => '')
  if (!source.endsWith(mark)) {
    source = (await withoutTypes(text, file)) + mark
    await keep(kept, source)
  }
  return { format: 'module', source, shortCircuit: true }
}

async function withoutTypes(text, sourcefile) {
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    // To keep names, esbuild would add a call per function: it costs every closure 256 bytes.
    keepNames: false,
    sourcefile,
    sourcemap: 'inline',
    sourcesContent: false,
  })
  return code
}

/** Atomically: several processes start at once, and some may not be able to write there. */
async function keep(file, text) {
  const part = new URL(`${file.href}.${randomUUID()}`)
  try {
    await mkdir(cache, { recursive: true })
    await writeFile(part, text)
    await rename(part, file)
  } catch {
    // It is compiled again at the next start.
  }
}
