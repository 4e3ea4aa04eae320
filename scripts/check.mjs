// Everything that needs no browser: format, lint, types, unit and integration tests, drift.
import { join } from 'node:path'
import { prepare, root, step, typeScriptFlags } from './workspace.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

export function check() {
  step('Format', bin('oxfmt'), ['--check', '.'], { hint: 'Run "npm run format".' })
  step('Lint', bin('oxlint'), ['--type-aware', '--deny-warnings', '.'])
  step('Types', bin('tsc'), ['-p', 'tsconfig.json'])
  step('routes.md', process.execPath, [...typeScriptFlags(), 'scripts/routes.ts', '--check'], {
    hint: 'Run "npm run routes" and commit routes.md.',
  })
}

if (import.meta.filename === process.argv[1]) {
  prepare()
  check()
  step('Unit and integration tests', bin('vitest'), ['run'])
}
