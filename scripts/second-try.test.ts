import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countsOf } from './second-try.mjs'
import { sideBySide } from './side-by-side.mjs'
import { readVitest } from './test-counts.mjs'
import { root } from './workspace.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(root, 'node_modules', '.second-try-'))
  // The folder is below node_modules, which is excluded by default.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default { test: { exclude: [] } }')
  writeFileSync(join(folder, 'a.test.ts'), failsOnce('a'))
  writeFileSync(join(folder, 'b.test.ts'), `import { test } from 'vitest'\ntest('works', () => {})`)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

/** A test file that passes on its second run. */
const failsOnce = (name: string) => `
  import { existsSync, writeFileSync } from 'node:fs'
  import { expect, test } from 'vitest'
  test('wavers', () => {
    const hasRun = existsSync('${folder}/${name}-ran')
    writeFileSync('${folder}/${name}-ran', '')
    expect(hasRun).toBe(true)
  })`

const suiteOf = (own: string[]) => ({
  name: 'Suite',
  command: process.execPath,
  args: [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    folder,
    ...own,
    `--reporter=${join(root, 'scripts', 'counts-reporter.mjs')}`,
  ],
  env: { GROVE_COUNTS: reportOf('Suite') },
  read: readVitest,
  canRepeat: true,
})

const reportOf = (name: string) => join(folder, `${name}.json`)

test.each([[[]], [['--maxWorkers=1']]])(
  'a file that failed once runs again, alone, for a suite with %j',
  async (own) => {
    const suite = suiteOf(own)
    expect(await sideBySide([suite])).toEqual(['Suite'])
    const counts = await countsOf(suite, reportOf)
    expect(counts).toMatchObject({ passed: 2, failures: [] })
    expect(counts.unsteady.join()).toContain('a.test.ts: wavers: expected false to be true')
    expect(counts.ran.filter((key) => key.includes('b.test.ts'))).toHaveLength(1)
  },
  60_000,
)

test('a file of a shard that failed once runs again, though it alone is no shard', async () => {
  writeFileSync(join(folder, 'b.test.ts'), failsOnce('b'))
  const suite = suiteOf(['--shard=1/2'])
  expect(await sideBySide([suite])).toEqual(['Suite'])
  const counts = await countsOf(suite, reportOf)
  expect(counts).toMatchObject({ passed: 1, failures: [] })
  expect(counts.unsteady).toHaveLength(1)
}, 60_000)
