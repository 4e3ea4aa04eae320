import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { bundle } from '../../../../../scripts/bundle.mjs'
import { root } from '../../../../../scripts/workspace.mjs'

const sources = ['apps/platform/src', 'packages/device-agent/src'].map((path) => join(root, path))

const isProgram = (file: string, text: string) =>
  basename(file) === 'main.ts' || /process\.argv|\bparseArgs\(/.test(text)

/** The programs that tests start, and `more`, bundled like the server. */
export async function bundlePrograms(more: readonly string[] = []) {
  const cache = join(root, 'node_modules/.cache/grove')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'programs-'))
  const found = await Promise.all(sources.map(programsBelow))
  await bundle([...found.flat(), ...more], folder)
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
