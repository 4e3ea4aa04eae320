import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { settings } from '../apps/platform/src/core/settings/settings-table.ts'
import { withTable } from './settings.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = (...paths: string[]) =>
  execFileSync('git', ['ls-files', ...paths], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '')

test('the table has every setting that the server reads, and no other', () => {
  const read = new Set<string>()
  for (const file of files('apps/platform/src')) {
    if (!file.endsWith('.ts') || /\.test\.ts$|\/testing\//.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/\bread\w*\(\s*env,\s*'([A-Z][A-Z\d_]+)'/g))
      if (!name.startsWith('AWS_')) read.add(name)
  }
  expect([...read].toSorted((a, b) => a.localeCompare(b))).toEqual(
    Object.keys(settings).toSorted((a, b) => a.localeCompare(b)),
  )
})

test('the operator guide has the table', () => {
  const guide = readFileSync(join(root, 'docs/operator.md'), 'utf8')
  expect(withTable(guide), 'npm run settings').toBe(guide)
})
