import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { commandStation, memoryOfProcess, type CommandResult } from './command-station.ts'
import { desiredStation, type DesiredAnswer } from './desired-station.ts'
import { resultFile } from './result-file.ts'

const command = (id: string, name = 'ping', d: unknown = null) =>
  ({ t: 'command', id, name, d }) as const

test('a repeated command runs once and is answered twice, in order', async () => {
  const ran: string[] = []
  const answers: CommandResult[] = []
  const take = commandStation({
    run: async (name) => {
      ran.push(name)
      if (name === 'fail') throw new Error('No.')
      return { name }
    },
    memory: memoryOfProcess(),
    answer: (result) => answers.push(result),
  })
  take(command('a', 'one'))
  take(command('a', 'one'))
  take(command('b', 'fail'))
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  take(command('a', 'one'))
  expect(ran).toEqual(['one', 'fail'])
  expect(answers).toEqual([
    { id: 'a', ok: true, d: { name: 'one' } },
    { id: 'b', ok: false, error: 'No.' },
    { id: 'a', ok: true, d: { name: 'one' } },
  ])
})

test('the last 64 results outlive the process, and a truncated file counts as none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-results-'))
  const file = join(folder, 'results.json')
  let ran = 0
  const start = () => {
    const answers: string[] = []
    const take = commandStation({
      run: async () => void ran++,
      memory: resultFile(file),
      answer: ({ id }) => answers.push(id),
    })
    return { take, answers }
  }
  const first = start()
  for (let n = 0; n < 70; n++) first.take(command(`c${n}`))
  await vi.waitFor(() => expect(first.answers).toHaveLength(70))
  const second = start()
  for (const n of [69, 6]) second.take(command(`c${n}`))
  expect(second.answers).toEqual(['c69', 'c6'])
  expect(ran).toBe(70)
  // Forgotten long ago.
  second.take(command('c5'))
  await vi.waitFor(() => expect(ran).toBe(71))
  writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20))
  expect(resultFile(file).read()).toEqual([])
  rmSync(folder, { recursive: true })
})

test('a desired state is applied key by key, and an older one is dropped', () => {
  const state = new Map<string, unknown>()
  const answers: DesiredAnswer[] = []
  const take = desiredStation({
    apply: (key, value) => {
      if (key === 'color') throw new Error('It has no lamp.')
      state.set(key, value)
    },
    answer: (each) => answers.push(each),
  })
  take({ t: 'desired', version: 4, d: { interval: 5, color: 'red' } })
  take({ t: 'desired', version: 4, d: { interval: 5, color: 'red' } })
  take({ t: 'desired', version: 3, d: { interval: 60 } })
  expect(Object.fromEntries(state)).toEqual({ interval: 5 })
  expect(answers).toEqual([
    { version: 4, d: { interval: 5 }, refused: { color: 'It has no lamp.' } },
  ])
})
