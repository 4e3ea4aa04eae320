import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runScript } from '../testing/run-script.ts'

const script = new URL('../testing/insert-rows.ts', import.meta.url)
const rounds = process.env['GROVE_TESTS'] === 'all' ? 100 : 2

describe('kill -9 during writes', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grove-kill-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test(`loses no acknowledged row in ${rounds} rounds, and every start works automatically`, async () => {
    const acknowledged: number[] = []
    for (let round = 0; round <= rounds; round++) {
      // After the rows that the previous round may have written without reporting them.
      const writer = runScript(script, folder, String(round * 1_000_000))
      const found = new Set(JSON.parse(await writer.firstLine) as number[])
      expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
      // Every other one may be killed before it has written anything.
      const isWriting = () => expect(writer.lines.length).toBeGreaterThan(1)
      if (round % 2 === 0) await vi.waitFor(isWriting, { timeout: 30_000, interval: 5 })
      await wait(Math.random() * 300)
      writer.child.kill('SIGKILL')
      await writer.exited
      acknowledged.push(...writer.lines.slice(1).map(Number))
    }
    expect(acknowledged.length).toBeGreaterThan(0)
  }, 900_000)
})
