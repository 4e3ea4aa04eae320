import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = import.meta.dirname
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
const modules = files.filter((file) => file.endsWith('.module.css'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The classes of its own that a CSS module has. */
function classesOf(file: string): Set<string> {
  const own = read(file)
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/:global\([^)]*\)/g, '')
  return new Set([...own.matchAll(/\.([a-z]\w*)/gi)].map(([, name = '']) => name))
}

interface Use {
  module: string
  file: string
  /** Null where the name is computed. */
  names: string[] | null
}

/** The classes that a component takes from each CSS module. */
function usesIn(file: string): Use[] {
  const code = read(file)
  return [...code.matchAll(/import (\w+) from '(\S+\.module\.css)'/g)].map(
    ([line, name = '', path = '']) => ({
      module: join(dirname(file), path),
      file,
      names: code.includes(`${name}[`)
        ? null
        : [...code.replace(line, '').matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(
            ([, each = '']) => each,
          ),
    }),
  )
}

const uses = files.filter((file) => /(?<!\.test)\.tsx?$/.test(file)).flatMap(usesIn)

test('every class that a component uses is in its CSS module', () => {
  expect(uses.length).toBeGreaterThan(100)
  const missing = uses.flatMap(({ module, file, names }) => {
    const classes = classesOf(module)
    return (names ?? []).filter((name) => !classes.has(name)).map((name) => `${file}: ${name}`)
  })
  expect(missing).toEqual([])
})

test('every class of a CSS module is used', () => {
  const unused = modules.flatMap((module) => {
    const its = uses.filter((use) => use.module === module)
    if (its.some(({ names }) => names === null)) return []
    const used = new Set(its.flatMap(({ names }) => names ?? []))
    return [...classesOf(module)]
      .filter((name) => !used.has(name))
      .map((name) => `${module}: ${name}`)
  })
  expect(unused).toEqual([])
})
