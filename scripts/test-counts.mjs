// Reads what the test runners counted.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root } from './workspace.mjs'

/**
 * @typedef {object} Counts
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} ran Tests by file and name.
 * @property {string[]} skipped
 * @property {string[]} unsteady Passed on their second try alone.
 */

const none = { passed: 0, failed: 0, ran: [], skipped: [], unsteady: [] }

/** @returns {Counts} */
export function readVitest(file) {
  if (!existsSync(file)) return none
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const counts = { ...none, passed: report.numPassedTests, ran: [], skipped: [] }
  for (const { name, status, assertionResults } of report.testResults) {
    for (const test of assertionResults) {
      const key = `${relative(root, name)}: ${test.fullName}`
      if (['passed', 'failed'].includes(test.status)) counts.ran.push(key)
      else counts.skipped.push(key)
    }
    // A file that could not be loaded has no tests to fail.
    const isBroken =
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
    if (isBroken) counts.failed += 1
  }
  counts.failed += report.numFailedTests
  return counts
}

/** @returns {Counts} */
export function readPlaywright(file) {
  if (!existsSync(file)) return none
  const { stats, suites } = JSON.parse(readFileSync(file, 'utf8'))
  const counts = {
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
    ran: [],
    skipped: [],
    unsteady: [],
  }
  const visit = (suite) => {
    for (const spec of suite.specs)
      for (const { status } of spec.tests) {
        const key = `e2e/${spec.file}: ${spec.title}`
        counts[status === 'skipped' ? 'skipped' : 'ran'].push(key)
        if (status === 'flaky') counts.unsteady.push(key)
      }
    for (const inner of suite.suites ?? []) visit(inner)
  }
  for (const suite of suites) visit(suite)
  return counts
}

/** The sum of all suites. A test that one suite skips and another runs is not skipped. */
export function emptyTotals() {
  /** @type {Counts[]} */
  const all = []
  const sum = (of) => all.reduce((total, counts) => total + of(counts), 0)
  return {
    add: (counts) => void all.push(counts),
    passed: () => sum(({ passed }) => passed),
    failed: () => sum(({ failed }) => failed),
    unsteady: () => all.flatMap(({ unsteady }) => unsteady),
    skippedEverywhere: () => {
      const ran = new Set(all.flatMap((counts) => counts.ran))
      return [...new Set(all.flatMap(({ skipped }) => skipped))].filter((key) => !ran.has(key))
    },
  }
}

/** Packages of the operating system that a test asks for at the end of its name: "(needs pcscd)". */
export const needsOf = (name) => / \(needs ([^()]+)\)$/.exec(name)?.[1]
