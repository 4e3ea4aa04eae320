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

test('a damaged secret file is told, not used', async () => {
  await writeFile(join(folder, 'secret'), '')
  await expect(readSecret(local())).rejects.toThrow(StartupError)
})

test.each([
  [{ GROVE_ENV: 'production' }, 'needs GROVE_SECRET'],
  [{ GROVE_ENV: 'production', GROVE_SECRET: 'change-me' }, 'too easy to guess'],
  [{ GROVE_SECRET: 'secret'.repeat(10) }, 'too easy to guess'],
])('%o is refused with what would be right', (env, sentence) => {
  expect(() => readConfig(env)).toThrow(StartupError)
  expect(() => readConfig(env)).toThrow(sentence)
  expect(() => readConfig(env)).not.toThrow(/change-me|secretsecret/)
})

test('production that runs no authentication service needs no secret', () => {
  const env = {
    GROVE_ENV: 'production',
    GROVE_SERVICES: 'cedar',
    GROVE_AUTH_JWKS_URL: 'https://a.b/c',
  }
  expect(readConfig(env).secret).toBeUndefined()
})

test('developers sign up by themselves locally, and in production where that is set', () => {
  const production = { GROVE_ENV: 'production', GROVE_SECRET: '9f86d081884c7d659a2feaa0c55ad015' }
  expect(readConfig({}).hasSelfServiceDevelopers).toBe(true)
  expect(readConfig(production).hasSelfServiceDevelopers).toBe(false)
  const on = { ...production, GROVE_SELF_SERVICE_DEVELOPERS: 'on' }
  expect(readConfig(on).hasSelfServiceDevelopers).toBe(true)
})
