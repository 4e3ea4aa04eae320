import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFirmwareFile } from './firmware-file.ts'

let folder = ''
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'grove-firmware-'))))
afterEach(() => rm(folder, { recursive: true }))

test('a fleet keeps its firmware through a kill, and ignores a torn line', async () => {
  const file = join(folder, 'agents.json.firmware')
  const first = openFirmwareFile(file)
  expect(first.of('agent-1')).toBeUndefined()
  first.keep('agent-1', '1.1.0')
  first.keep('agent-2', '1.1.0')
  first.keep('agent-1', '1.2.0+4')
  await appendFile(file, 'agent-2 9')

  const second = openFirmwareFile(file)
  expect([second.of('agent-1'), second.of('agent-2')]).toEqual(['1.2.0+4', '1.1.0'])
  second.keep('agent-3', '1.0.0')
  expect(await readFile(file, 'utf8')).toBe('agent-1 1.2.0+4\nagent-2 1.1.0\nagent-3 1.0.0\n')
})
