import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  afterSecondTry,
  emptyTotals,
  filesToRepeat,
  needsOf,
  readPlaywright,
  readVitest,
} from './test-counts.mjs'
import { root } from './workspace.mjs'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(root, 'node_modules', '.counts-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const file = (number: number) => `${number}.test.ts`
const failure = (number: number, name = 'breaks') => ({
  file: file(number),
  name,
  reason: 'no reason',
})
const counts = (part: Partial<ReturnType<typeof readVitest>>) => ({
  passed: 0,
  failures: [],
  ran: [],
  skipped: [],
  unsteady: [],
  slow: [],
  ...part,
})

test('a run of unit tests is counted with what fails outside of tests', () => {
  const write = (name: string, lines: string) =>
    writeFileSync(
      join(folder, `${name}.test.ts`),
      `import { beforeAll, describe, expect, test } from 'vitest'\n${lines}`,
    )
  write('good', `test('works', () => {}); test.skip('waits', () => {})`)
  write('bad', `describe('it', () => test('breaks', () => expect('one\\ntwo').toBe('three')))`)
  write('broken', `throw new Error('no such module')`)
  write('hook', `beforeAll(() => { throw new Error('no server') }); test('needs it', () => {})`)
  write(
    'late',
    `test('ends early', async () => {
       void Promise.reject(new Error('too late'))
       await new Promise((resolve) => setTimeout(resolve, 20))
     })`,
  )
  // The folder is below node_modules, which is excluded by default.
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default { test: { exclude: [] } }')
  const report = join(folder, 'report.json')
  spawnSync(
    join(root, 'node_modules', '.bin', 'vitest'),
    [
      'run',
      '--root',
      folder,
      '--maxWorkers=1',
      `--reporter=${join(root, 'scripts', 'counts-reporter.mjs')}`,
    ],
    { env: { ...process.env, GROVE_COUNTS: report }, stdio: 'pipe' },
  )
  const { passed, failures, skipped } = readVitest(report)
  const shown = failures.map(({ file, name, reason }) => [file?.split('/').at(-1), name, reason])
  expect(passed).toBe(2)
  expect(shown.toSorted(([a = ''], [b = '']) => a.localeCompare(b))).toEqual([
    ['bad.test.ts', 'it > breaks', "expected 'one\\ntwo' to be 'three' // Object.is equality"],
    ['broken.test.ts', '', 'no such module'],
    ['hook.test.ts', '', 'no server'],
    ['late.test.ts', 'an error that no test caught', 'too late'],
  ])
  expect(skipped.map((key) => key.split(': ')[1])).toContain('waits')
}, 60_000)

test('a suite that left no report counts nothing', () => {
  const missing = join(folder, 'missing.json')
  for (const read of [readVitest, readPlaywright])
    expect(read(missing)).toMatchObject({ passed: 0, failures: [] })
})

test('a scenario that passed on its second try alone is named, and one that failed has its reason', () => {
  const spec = (title: string, status: string, ...messages: string[]) => ({
    title,
    file: 'a.spec.ts',
    tests: [{ status, results: messages.map((message) => ({ error: { message } })) }],
  })
  const report = join(folder, 'report.json')
  writeFileSync(
    report,
    JSON.stringify({
      stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 1 },
      suites: [
        {
          specs: [
            spec('works', 'expected'),
            spec('breaks', 'unexpected', 'first', '\u001B[31mno such\u001B[39m button\nCall log'),
          ],
          suites: [{ specs: [spec('wavers', 'flaky', 'first'), spec('waits', 'skipped')] }],
        },
      ],
    }),
  )
  expect(readPlaywright(report)).toMatchObject({
    passed: 2,
    failures: [{ file: 'e2e/a.spec.ts', name: 'breaks', reason: 'no such button' }],
    skipped: ['e2e/a.spec.ts: waits'],
    unsteady: ['e2e/a.spec.ts: wavers'],
    slow: [],
  })
})

test('failed files run again, but not where many failed or an error has no file', () => {
  const many = Array.from({ length: 10 }, (_, number) => failure(number))
  expect(filesToRepeat(counts({ failures: [failure(1), failure(1, 'too')] }))).toEqual([file(1)])
  expect(filesToRepeat(counts({ failures: many }))).toHaveLength(10)
  expect(filesToRepeat(counts({ failures: [...many, failure(10)] }))).toEqual([])
  const placeless = { ...failure(1), file: undefined }
  expect(filesToRepeat(counts({ failures: [failure(1), placeless] }))).toEqual([])
})

test('a file that passes a second try is named, and one that fails again stays failed', () => {
  const key = `${file(1)}: breaks`
  const first = counts({ passed: 5, failures: [failure(1), failure(1, '')], ran: [key] })
  const passed = afterSecondTry(first, counts({ passed: 3, ran: [key] }))
  expect(passed).toMatchObject({
    passed: 6,
    failures: [],
    unsteady: [`${key}: no reason`, `${file(1)}: : no reason`],
    slow: [],
  })
  const failed = counts({ passed: 2, failures: [failure(1)], ran: [key] })
  expect(afterSecondTry(first, failed)).toMatchObject({
    passed: 5,
    failures: first.failures,
    unsteady: [],
    slow: [],
  })
  expect(afterSecondTry(first, counts({}))).toBe(first)
  const placeless = counts({ passed: 2, failures: [{ ...failure(1), file: undefined }] })
  expect(afterSecondTry(first, placeless)).toBe(first)

  const two = counts({ passed: 5, failures: [failure(1), failure(2)] })
  expect(afterSecondTry(two, failed)).toMatchObject({ failures: [failure(1)] })
  const other = `${file(2)}: breaks`
  expect(afterSecondTry(two, { ...failed, ran: [key, other] })).toMatchObject({
    passed: 6,
    failures: [failure(1)],
    unsteady: [`${other}: no reason`],
    slow: [],
  })
})

test('what every suite skips is named, and nothing that one of them runs', () => {
  const totals = emptyTotals()
  totals.add(counts({ passed: 1, ran: ['one'], skipped: ['two', 'three'] }))
  totals.add(counts({ passed: 1, ran: ['two'], skipped: ['three'] }))
  expect([totals.passed(), totals.failures()]).toEqual([2, []])
  expect(totals.skippedEverywhere()).toEqual(['three'])
})

test('a test that asks for packages is not one that is skipped for another reason', () => {
  expect(needsOf('a.test.ts: reads a card (needs pcscd, opensc)')).toBe('pcscd, opensc')
  expect(needsOf('a.test.ts: reads a card (needs pcscd) @long')).toBe('pcscd')
  expect(needsOf('a.test.ts: readers (needs pcscd) > reads a card')).toBe('pcscd')
  expect(needsOf('a.test.ts: needs a card')).toBeUndefined()
  expect(needsOf('a.test.ts: reads a card (needs pcscd) and a chip')).toBeUndefined()
})
