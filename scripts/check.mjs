// Everything that needs no browser: format, lint, types and drift in parallel, then the tests.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sideBySide } from './side-by-side.mjs'
import { keepTemporaryFilesInMemory } from './temporary-files.mjs'
import { fail, prepare, root, typeScriptFlags } from './workspace.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

const checks = [
  {
    name: 'Lint',
    command: bin('oxlint'),
    args: ['--type-aware', '--deny-warnings', '.'],
  },
  {
    name: 'Types',
    command: bin('tsc'),
    // Each checker resolves the shared files again.
    args: ['-p', 'tsconfig.json', '--checkers', String(Math.min(4, availableParallelism()))],
  },
  {
    name: 'Build',
    command: process.execPath,
    args: ['scripts/build.mjs'],
  },
  {
    name: 'Format',
    command: bin('oxfmt'),
    args: ['--check', '.'],
    hint: 'Run "npm run format".',
  },
  {
    name: 'routes.md',
    command: process.execPath,
    args: [...typeScriptFlags(), 'scripts/routes.ts', '--check'],
    hint: 'Run "npm run routes" and commit routes.md.',
  },
  {
    name: 'API.md',
    command: process.execPath,
    args: [...typeScriptFlags(), 'scripts/client-api.ts', '--check'],
    hint: 'Give every export a docstring, run "npm run api" and commit packages/auth-client/API.md.',
  },
]

/** Exits if one of them fails, after all have reported. */
export async function check() {
  const failed = await sideBySide(checks)
  if (failed.length > 0) fail(`Failed: ${failed.join(', ')}.`)
}

if (import.meta.filename === process.argv[1]) {
  keepTemporaryFilesInMemory()
  prepare()
  await check()
  const failed = await sideBySide([
    {
      name: 'Unit and integration tests',
      command: bin('vitest'),
      args: ['run', '--reporter=dot'],
      env: { GROVE_TESTS: 'short' },
      isShown: true,
    },
  ])
  process.exit(failed.length)
}
