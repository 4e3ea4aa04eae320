// Everything, on a machine that has only Node: install, check, build, unit, integration, browser.
// The last line counts every test of every suite.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { build, prepare, root } from './workspace.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

prepare()
const { check } = await import('./check.mjs')
const { findChromium } = await import('./chromium.mjs')
const browser = findChromium()
console.log(`Browser: ${browser.name}`)
check()
build()

const results = mkdtempSync(join(tmpdir(), 'grove-results-'))
let passed = 0
let failed = 0
let isComplete = true

/** Runs a suite in view and adds its counts; a suite that breaks before counting fails the run. */
function suite(name, command, args, env, count) {
  console.log(`\n${name}`)
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const report = join(results, `${name}.json`)
  if (existsSync(report)) {
    const counts = count(JSON.parse(readFileSync(report, 'utf8')))
    passed += counts.passed
    failed += counts.failed
  }
  if (status !== 0) isComplete = false
}

const units = join(results, 'Unit and integration.json')
suite(
  'Unit and integration',
  bin('vitest'),
  ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${units}`],
  { GROVE_CHROMIUM: browser.path },
  (report) => ({ passed: report.numPassedTests, failed: report.numFailedTests }),
)

suite(
  'Browser',
  bin('playwright'),
  ['test', '--config', 'e2e/playwright.config.ts', '--reporter=line,json'],
  {
    GROVE_CHROMIUM: browser.path,
    PLAYWRIGHT_JSON_OUTPUT_NAME: join(results, 'Browser.json'),
    NODE_OPTIONS: '--conditions=source',
  },
  (report) => ({
    passed: report.stats.expected + report.stats.flaky,
    failed: report.stats.unexpected,
  }),
)

rmSync(results, { recursive: true, force: true })
// A suite that ended badly without a failed test, such as one that could not start, is a failure.
if (!isComplete && failed === 0) failed = 1
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
