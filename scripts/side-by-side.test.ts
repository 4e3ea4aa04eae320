import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { sideBySide } from './side-by-side.mjs'
import { emptyTotals, needsOf, readPlaywright, readVitest } from './test-counts.mjs'
import { root } from './workspace.mjs'

describe('commands side by side', () => {
  let lines: string[] = []
  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const node = (name: string, script: string, isShown = true) => ({
    name,
    command: process.execPath,
    args: ['-e', script],
    isShown,
  })
  const printed = () => lines.filter((line) => !/ … (done|failed) \(/.test(line))

  test('print one after another what they wrote at the same time', async () => {
    const write = (text: string) =>
      `let n = 0; const t = setInterval(() => { console.log('${text}'); if (++n === 5) clearInterval(t) }, 5)`
    await sideBySide([node('One', write('one')), node('Two', write('two'))])
    const whole = (text: string) => Array.from({ length: 5 }, () => text).join('\n')
    expect(printed().toSorted()).toEqual([whole('one'), whole('two')])
  })

  test('are all run to their end, and those that fail are named and shown', async () => {
    const failed = await sideBySide([
      node('Broken', `console.error('the reason'); process.exit(3)`, false),
      node('Killed', `process.kill(process.pid, 'SIGKILL')`, false),
      node('Good', `console.log('nobody asked')`, false),
      { name: 'Missing', command: join(root, 'no such program'), args: [] },
    ])
    expect(failed).toEqual(['Broken', 'Killed', 'Missing'])
    expect(printed()).toContain('the reason')
    expect(printed()).not.toContain('nobody asked')
    expect(printed().join('\n')).toContain('ENOENT')
  })
})

describe('the counts of a run', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'grove-counts-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))
  const report = (content: object) => {
    const file = join(folder, 'report.json')
    writeFileSync(file, JSON.stringify(content))
    return file
  }
  const file = (status: string, ...tests: [name: string, status: string][]) => ({
    name: join(root, 'a.test.ts'),
    status,
    assertionResults: tests.map(([fullName, status]) => ({ fullName, status })),
  })

  test('add up, and a file that could not be loaded is a failure', () => {
    const counts = readVitest(
      report({
        numPassedTests: 1,
        numFailedTests: 1,
        testResults: [
          file('failed', ['works', 'passed'], ['breaks', 'failed']),
          file('failed'),
          file('passed', ['waits', 'skipped']),
        ],
      }),
    )
    expect(counts).toMatchObject({ passed: 1, failed: 2, skipped: ['a.test.ts: waits'] })
  })

  test('are nothing when a suite left no report', () => {
    const missing = join(folder, 'missing.json')
    for (const read of [readVitest, readPlaywright])
      expect(read(missing)).toMatchObject({ passed: 0, failed: 0 })
  })

  test('of the browser name a test that passed on the second try alone', () => {
    const spec = (title: string, status: string) => ({
      title,
      file: 'a.spec.ts',
      tests: [{ status }],
    })
    const counts = readPlaywright(
      report({
        stats: { expected: 1, unexpected: 1, flaky: 1, skipped: 1 },
        suites: [
          {
            specs: [spec('works', 'expected'), spec('breaks', 'unexpected')],
            suites: [{ specs: [spec('wavers', 'flaky'), spec('waits', 'skipped')] }],
          },
        ],
      }),
    )
    expect(counts).toMatchObject({
      passed: 2,
      failed: 1,
      skipped: ['e2e/a.spec.ts: waits'],
      unsteady: ['e2e/a.spec.ts: wavers'],
    })
  })

  test('name what every suite skips, and nothing that one of them runs', () => {
    const totals = emptyTotals()
    totals.add({ passed: 1, failed: 0, ran: ['one'], skipped: ['two', 'three'], unsteady: [] })
    totals.add({ passed: 1, failed: 0, ran: ['two'], skipped: ['three'], unsteady: [] })
    expect([totals.passed(), totals.failed()]).toEqual([2, 0])
    expect(totals.skippedEverywhere()).toEqual(['three'])
  })

  test('tell a test that asks for packages from one that is skipped for another reason', () => {
    expect(needsOf('a.test.ts: reads a card (needs pcscd, opensc)')).toBe('pcscd, opensc')
    expect(needsOf('a.test.ts: needs a card')).toBeUndefined()
  })
})
