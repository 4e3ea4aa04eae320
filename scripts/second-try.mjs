// Runs a suite, with a second try for the few files that failed.
import { sideBySide } from './side-by-side.mjs'
import { afterSecondTry, filesToRepeat } from './test-counts.mjs'

/**
 * @typedef {import('./side-by-side.mjs').Task & {
 *   read: (file: string) => import('./test-counts.mjs').Counts,
 *   canRepeat: boolean,
 * }} Suite Vitest writes its counts into the file GROVE_COUNTS.
 */

/**
 * The counts of a suite, with those of its failed files from a second run on their own.
 * @param {Suite} suite
 * @param {(name: string) => string} reportOf The file with a suite's counts.
 */
export async function countsOf(suite, reportOf) {
  const counts = suite.read(reportOf(suite.name))
  const files = suite.canRepeat ? filesToRepeat(counts) : []
  if (files.length === 0) return counts
  const name = `${suite.name}, second try`
  // Vitest refuses to get an option twice, and with --shard would run only some of these files.
  const own = suite.args.filter((arg) => !/^--(maxWorkers|shard)=/.test(arg))
  const args = [...own, '--maxWorkers=1', ...files]
  const env = { ...suite.env, GROVE_COUNTS: reportOf(name) }
  await sideBySide([{ ...suite, name, args, env }])
  return afterSecondTry(counts, suite.read(reportOf(name)))
}
