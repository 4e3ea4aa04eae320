import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
let house: string

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'grove-lint-'))
  copyFileSync(join(root, '.oxlintrc.json'), join(house, '.oxlintrc.json'))
})
afterAll(() => rmSync(house, { recursive: true }))

/** Each row breaks one rule of the house and is refused with the rule's own reason. */
test.each([
  ['packages/contract/src/a.ts', '@grove/platform', 'A package imports no app'],
  ['apps/platform/src/core/a.ts', '../services/auth/index.ts', 'core imports no service'],
  ['apps/platform/src/core/http/a.ts', '../../services.ts', 'core imports no service'],
  ['apps/platform/src/services/auth/a.ts', '../cedar/index.ts', 'No service imports another'],
  [
    'apps/platform/src/services/cedar/product/a.ts',
    '../../maple/index.ts',
    'No service imports another',
  ],
  [
    'apps/platform/src/services/maple/device/a.ts',
    '../../auth/index.ts',
    'No service imports another',
  ],
  ['apps/platform/src/services/console/a.ts', '../maple/index.ts', 'No service imports another'],
  [
    'apps/platform/src/services/cedar/product/a.routes.ts',
    '../../auth/index.ts',
    'No service imports another',
  ],
  [
    'apps/platform/src/services/cedar/product/a.routes.ts',
    './product.queries.ts',
    'Routes do not import queries',
  ],
])('%s may not import %s', (file, specifier, reason) => {
  const output = lint(file, `import { x } from '${specifier}'\nconsole.log(x)\n`)
  expect(output).toContain(reason)
})

test.each([
  [
    'apps/platform/src/services/cedar/product/b.ts',
    `import { x } from '../../../core/audit.ts'\nconsole.log(x)\n`,
  ],
])('%s may import what it is built on', (file, source) => {
  const output = lint(file, source)
  expect(output).toContain('Found 0 warnings and 0 errors')
  expect(output).not.toContain('no-restricted-imports')
})

function lint(file: string, source: string): string {
  const path = join(house, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, source)
  const bin = join(root, 'node_modules/oxlint/bin/oxlint')
  const { stdout } = spawnSync(process.execPath, [bin, file], { cwd: house, encoding: 'utf8' })
  return stdout.replaceAll(/\s+/g, ' ')
}
