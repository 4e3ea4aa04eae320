// Reads the results of the test runners.
import { existsSync, readFileSync } from 'node:fs'

/**
 * @typedef {object} Failure
 * @property {string | undefined} file None for an error outside of every file.
 * @property {string} name
 * @property {string} reason The first line of its error.
 *
 * @typedef {object} Counts
 * @property {number} passed
 * @property {Failure[]} failures
 * @property {string[]} ran Tests by file and name.
 * @property {string[]} skipped
 * @property {string[]} unsteady Passed only on their second try.
 * @property {string[]} slow Unit tests that belong among the long ones, with their seconds.
 */

const none = () => ({ passed: 0, failures: [], ran: [], skipped: [], unsteady: [], slow: [] })

/** @returns {Counts} What counts-reporter.mjs wrote. */
export const readVitest = (file) =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : none()

const colours = new RegExp(`${String.fromCodePoint(27)}\\[\\d+m`, 'g')

/** @returns {Counts} */
export function readPlaywright(file) {
  if (!existsSync(file)) return none()
  const { stats, suites } = JSON.parse(readFileSync(file, 'utf8'))
  const counts = { ...none(), passed: stats.expected + stats.flaky }
  const visit = (suite) => {
    for (const spec of suite.specs)
      for (const { status, results } of spec.tests) {
        const name = `e2e/${spec.file}`
        const key = `${name}: ${spec.title}`
        counts[status === 'skipped' ? 'skipped' : 'ran'].push(key)
        if (status === 'flaky') counts.unsteady.push(key)
        if (status === 'unexpected') {
          const error = results?.at(-1)?.error?.message ?? 'no error was written down'
          const [reason] = error.replaceAll(colours, '').split('\n', 1)
          counts.failures.push({ file: name, name: spec.title, reason })
        }
      }
    for (const inner of suite.suites ?? []) visit(inner)
  }
  for (const suite of suites) visit(suite)
  return counts
}

/** With more failures than this there is no second try, which would hide a fault. */
const maxFilesAgain = 10

/** The files whose failed tests get a second try, run alone; none if more than a few failed. */
export function filesToRepeat({ failures }) {
  const files = new Set(failures.map(({ file }) => file))
  return files.size <= maxFilesAgain && !files.has(undefined) ? [...files] : []
}

/**
 * The counts of a suite whose failed files ran again. A file that failed again keeps its first failures.
 * @param {Counts} first
 * @param {Counts} second
 * @returns {Counts}
 */
export function afterSecondTry(first, second) {
  if (second.passed === 0) return first
  const failedAgain = new Set(second.failures.map(({ file }) => file))
  // An error without a file could come from anywhere.
  if (failedAgain.has(undefined)) return first
  const again = first.failures
    .filter(({ file }) => !failedAgain.has(file))
    .map((failure) => ({ ...failure, key: `${failure.file}: ${failure.name}` }))
  return {
    passed: first.passed + again.filter(({ key }) => second.ran.includes(key)).length,
    failures: first.failures.filter(({ file }) => failedAgain.has(file)),
    ran: [...first.ran, ...second.ran],
    skipped: first.skipped,
    unsteady: again.map(({ key, reason }) => `${key}: ${reason}`),
    slow: first.slow,
  }
}

/** The sum of all suites. A test that one suite skips and another runs is not skipped. */
export function emptyTotals() {
  /** @type {Counts[]} */
  const all = []
  return {
    add: (counts) => void all.push(counts),
    passed: () => all.reduce((total, { passed }) => total + passed, 0),
    failures: () => all.flatMap(({ failures }) => failures),
    unsteady: () => all.flatMap(({ unsteady }) => unsteady),
    slow: () => all.flatMap(({ slow }) => slow),
    skippedEverywhere: () => {
      const ran = new Set(all.flatMap((counts) => counts.ran))
      return [...new Set(all.flatMap(({ skipped }) => skipped))].filter((key) => !ran.has(key))
    },
  }
}

/**
 * Packages of the operating system that a test or its group names at the end of its title: "(needs
 * pcscd)".
 */
export const needsOf = (name) => / \(needs ([^()]+)\)(?= > | @|$)/.exec(name)?.[1]
