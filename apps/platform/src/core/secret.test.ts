import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { readSecret } from './secret.ts'
import { StartupError } from './startup-error.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-secret-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const local = (env: Record<string, string> = {}) => readConfig({ GROVE_DATA: folder, ...env })

test('a local platform makes its secret once, for its owner only', async () => {
  const secrets = await Promise.all([1, 2, 3].map(() => readSecret(local())))
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]).toMatch(/^[\da-f]{64}$/)
  expect(await readSecret(local())).toBe(secrets[0])
  expect(await readdir(folder)).toEqual(['secret'])
  expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(secrets[0])
})

test('GROVE_SECRET is used where it is set', async () => {
  const secret = '9f86d081884c7d659a2feaa0c55ad015'
  expect(await readSecret(local({ GROVE_SECRET: secret }))).toBe(secret)
  expect(await readdir(folder)).toEqual([])
})

test('a damaged secret file is reported, not used', async () => {
  await writeFile(join(folder, 'secret'), '')
  await expect(readSecret(local())).rejects.toThrow(StartupError)
})

test('a secret that is easy to guess is refused, and never repeated', () => {
  for (const GROVE_SECRET of ['change-me', 'secret'.repeat(10)]) {
    expect(() => readConfig({ GROVE_SECRET })).toThrow('too easy to guess')
    expect(() => readConfig({ GROVE_SECRET })).not.toThrow(/change-me|secretsecret/)
  }
})
