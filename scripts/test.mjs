// Runs every test on a machine that has only Node: install, check, build, unit, integration, browser.
// The last line counts the tests of all suites. With --all each test runs on both databases,
// including those with the tag “long”, and the fuzzers, kills and models run at full length; with
// --shard=1/4 a quarter of them. With --changed only those tests run that the branch's changes since
// its upstream can break, or the changes since the commit in --changed=<commit>.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installForTests } from './debian.mjs'
import { countsOf } from './second-try.mjs'
import { sideBySide } from './side-by-side.mjs'
import { emptyTotals, needsOf, readPlaywright, readVitest } from './test-counts.mjs'
import { longTag, slowSeconds } from './test-tags.mjs'
import { prepare, root } from './workspace.mjs'
import { keepTemporaryFilesInMemory } from './temporary-files.mjs'

const isAll = process.argv.includes('--all')
const changed = process.argv.find((each) => /^--changed(=|$)/.test(each))
const shard = process.argv.filter((each) => each.startsWith('--shard='))
const bin = (name) => join(root, 'node_modules', '.bin', name)

keepTemporaryFilesInMemory()
prepare()
const { check } = await import('./check.mjs')
const { findTestBrowser } = await import('./chromium.mjs')
const browser = findTestBrowser()
console.log(`Browser: ${browser.name}`)
if (isAll) {
  installForTests(['webkit2gtk-driver', 'xvfb', 'firefox-esr'])
  installForTests(['python3-paho-mqtt', 'mosquitto-clients', 'openssl', 'buildah', 'mmdebstrap'])
  installForTests(['softhsm2', 'opensc', 'python3-pycryptodome', 'tshark'])
}
// Under systemd they would start and take the machine's ports.
if (isAll && !existsSync('/run/systemd/system')) {
  installForTests(['haproxy', 'nginx-light', 'libnginx-mod-stream', 'caddy', 'pgbouncer'])
  installForTests(['mosquitto', 'nats-server', 'prometheus'])
  installForTests(['pcscd', 'vsmartcard-vpcd', 'pcsc-tools'])
}
await check()

const results = mkdtempSync(join(tmpdir(), 'grove-results-'))
const reportOf = (name) => join(results, `${name}.json`)
const env = { GROVE_CHROMIUM: browser.path, GROVE_TESTS: isAll ? 'all' : 'short' }

/** @returns {{ tests: string[] | null, scenarios: string[] | null }} Null for all of them. */
function chooseTests() {
  if (!changed) return { tests: null, scenarios: null }
  const run = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' })
  const [, ref = upstream(run)] = changed.split('=')
  return JSON.parse(run(process.execPath, ['scripts/run.mjs', 'scripts/changed.ts', ref]))
}

function upstream(run) {
  try {
    return run('git', ['rev-parse', '--abbrev-ref', '@{upstream}']).trim()
  } catch {
    return 'HEAD'
  }
}

const chosen = chooseTests()
if (changed)
  console.log(
    `Chosen: ${chosen.tests?.length ?? 'all'} test files, ${chosen.scenarios?.length ?? 'all'} files of scenarios.`,
  )

/** A part of the unit and integration tests. */
const vitest = (name, args) => ({
  name,
  command: bin('vitest'),
  args: [
    'run',
    ...(chosen.tests ?? []),
    ...args,
    ...shard,
    // Possibly none of the chosen tests is in this part.
    ...(changed ? ['--passWithNoTests'] : []),
    '--reporter=dot',
    '--reporter=./scripts/counts-reporter.mjs',
  ],
  env: { ...env, GROVE_COUNTS: reportOf(name) },
  isShown: true,
  read: readVitest,
  canRepeat: true,
})

const integration = vitest('Unit and integration', ['--project=!auth-client'])
// Its pages mostly wait for one another, so it can run beside the console's.
const client = vitest('Authentication client', ['--project=auth-client', '--maxWorkers=1'])

/** Files of scenarios; those of `e2e/pages` have their own configuration. */
const browserPart = (name, folder, specs) => ({
  name,
  command: bin('playwright'),
  args: [
    'test',
    ...(specs ?? []),
    ...shard,
    '--config',
    `${folder}/playwright.config.ts`,
    '--reporter=dot,json',
  ],
  env: {
    ...env,
    PLAYWRIGHT_JSON_OUTPUT_NAME: reportOf(name),
    NODE_OPTIONS: '--conditions=source',
  },
  isShown: true,
  read: readPlaywright,
  // The runner itself repeats a failed scenario.
  canRepeat: false,
})

const isOfPages = (file) => file.startsWith('e2e/pages/')
const pageSpecs = chosen.scenarios?.filter(isOfPages)
const specs = chosen.scenarios?.filter((file) => !isOfPages(file))
const pages = pageSpecs?.length === 0 ? [] : [browserPart('Pages', 'e2e/pages', pageSpecs)]
const scenarios = specs?.length === 0 ? [] : [browserPart('Browser', 'e2e', specs)]

const totals = emptyTotals()
for (const group of [[integration], [client, ...scenarios], pages]) {
  const broken = await sideBySide(group)
  for (const task of group) {
    const counts = await countsOf(task, reportOf)
    // A suite that exited with an error but without a failed test, such as one that could not start,
    // is a failure.
    const hasFailedTests = counts.failures.length + counts.unsteady.length > 0
    const isBroken =
      (broken.includes(task.name) && !hasFailedTests) ||
      (counts.passed === 0 && !changed && shard.length === 0)
    if (isBroken)
      counts.failures.push({ name: task.name, reason: 'It broke before it had counted its tests.' })
    totals.add(counts)
  }
}
rmSync(results, { recursive: true, force: true })

const unmet = totals.skippedEverywhere().filter(needsOf)
if (unmet.length > 0)
  console.log(
    `\nNot run, ${unmet.length}: this machine lacks packages that the names say:\n  ${unmet.join('\n  ')}`,
  )
const skipped = totals.skippedEverywhere().filter((name) => !needsOf(name))
if (skipped.length > 0)
  console.log(
    `\nSkipped by every suite, which counts as failed, ${skipped.length}:\n  ${skipped.join('\n  ')}`,
  )
const unsteady = totals.unsteady()
if (unsteady.length > 0)
  console.log(`\nPassed on the second try alone, ${unsteady.length}:\n  ${unsteady.join('\n  ')}`)
const slow = isAll ? [] : totals.slow()
if (slow.length > 0)
  console.log(
    `\nLonger than ${slowSeconds} s without ${longTag}, ${slow.length}:\n  ${slow.join('\n  ')}`,
  )
const failures = totals.failures()
if (failures.length > 0) {
  const lines = failures.map(({ file, name, reason }) => `${file ?? 'No file'}: ${name}: ${reason}`)
  console.log(`\nFailed, ${failures.length}:\n  ${lines.join('\n  ')}`)
}
const failed = failures.length + skipped.length
console.log(`\n${totals.passed()} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
