import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sideBySide } from './side-by-side.mjs'
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
