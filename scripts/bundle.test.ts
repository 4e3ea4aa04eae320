import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from './bundle.mjs'
import { root } from './workspace.mjs'

// Below node_modules, so that packages are found.
const cache = join(root, 'node_modules/.cache/grove')
let folder = ''
beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'bundle-test-'))
  const program = join(folder, 'breaks.ts')
  writeFileSync(program, `interface One {\n  two: 3\n}\nthrow new Error('broken' as string)\n`)
  await bundle([program], join(folder, 'dist'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const built = () => readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.js'))

test('every thread and process of the platform is built', () => {
  const platform = join(root, 'apps/platform/src')
  const started = readdirSync(platform, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => [
      ...readFileSync(join(platform, name), 'utf8').matchAll(
        /(?<!function )start(?:Thread|Process)\([^)]*?([\w-]+)\.ts'/g,
      ),
    ])
    .map(([, module]) => module)
  expect(started.length).toBeGreaterThan(3)
  for (const module of started)
    expect(built().filter((name) => name.endsWith(`-${module}.js`))).toHaveLength(1)
})

test('an error of a built program names the line of its source', () => {
  const name = built().find((each) => each.endsWith('breaks.js')) ?? ''
  const program = join(folder, 'dist', name)
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', program], {
    encoding: 'utf8',
  })
  expect(stderr).toContain('breaks.ts:4')
})
