// A Vitest reporter: writes the counts that test-counts.mjs adds up to the file GROVE_COUNTS.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { isShort, longTag, slowSeconds } from './test-tags.mjs'
import { root } from './workspace.mjs'

const reasonOf = (error) => String(error?.message ?? error).split('\n', 1)[0]

// oxlint-disable-next-line no-default-export -- Vitest loads the default export of a reporter
export default class CountsReporter {
  onTestRunEnd(modules, unhandledErrors) {
    /** @type {import('./test-counts.mjs').Counts} */
    const counts = { passed: 0, failures: [], ran: [], skipped: [], unsteady: [], slow: [] }
    for (const module of modules) {
      const file = relative(root, module.moduleId)
      const fail = (name, errors) =>
        counts.failures.push({ file, name, reason: reasonOf(errors[0]) })
      // Failures outside a test: a file that does not load, a hook of a whole suite.
      for (const part of [module, ...module.children.allSuites()])
        if (part.errors().length > 0) fail(part.fullName ?? '', part.errors())
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const seconds = (test.diagnostic()?.duration ?? 0) / 1000
        const key = `${file}: ${test.fullName}`
        // Left out on purpose, unlike a test that skips itself.
        if (state === 'skipped' && isShort && test.fullName.includes(longTag)) continue
        if (state === 'passed') counts.passed += 1
        if (state === 'failed') fail(test.fullName, errors)
        if (seconds > slowSeconds && !test.fullName.includes(longTag))
          counts.slow.push(`${key} (${seconds.toFixed(1)} s)`)
        if (state === 'passed' || state === 'failed') counts.ran.push(key)
        else counts.skipped.push(key)
      }
    }
    for (const error of unhandledErrors) {
      const file = error.VITEST_TEST_PATH ? relative(root, error.VITEST_TEST_PATH) : undefined
      counts.failures.push({ file, name: 'an error that no test caught', reason: reasonOf(error) })
    }
    writeFileSync(process.env.GROVE_COUNTS, JSON.stringify(counts))
  }
}
