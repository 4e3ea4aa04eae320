import { randomBytes } from 'node:crypto'
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

test('a local platform creates its secret once, readable by its owner only', async () => {
  const secrets = await Promise.all([1, 2, 3].map(() => readSecret(local())))
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]).toMatch(/^[\da-f]{64}$/)
  expect(await readSecret(local())).toBe(secrets[0])
  expect(await readdir(folder)).toEqual(['secret'])
  expect((await stat(join(folder, 'secret'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(secrets[0])
})

test('GROVE_SECRET is used if it is set', async () => {
  const secret = '43996fc189b265e098419a82362f9022e2ed160a2287064a0fe819ba2ab48f20'
  expect(await readSecret(local({ GROVE_SECRET: secret }))).toBe(secret)
  expect(await readdir(folder)).toEqual([])
})

test('a damaged secret file is reported, not used', async () => {
  await writeFile(join(folder, 'secret'), '')
  await expect(readSecret(local())).rejects.toThrow(StartupError)
})

test.each([
  ['a placeholder', 'change-me-please-with-32-characters-or-more'],
  ['a word again and again', 'secret'.repeat(10)],
  ['sixteen bytes', '9f86d081884c7d659a2feaa0c55ad015'],
  ['a sequence', Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('hex')],
  ['hexadecimal digits in order', '0123456789abcdef'.repeat(4)],
  ['a block that repeats', '9f86d081884c7d659a2feaa0c55ad015'.repeat(2)],
  [
    'a sentence in base64',
    Buffer.from('the quick brown fox jumps over the dog').toString('base64'),
  ],
])('%s is refused as a secret', (_, GROVE_SECRET) => {
  expect(() => readConfig({ GROVE_SECRET })).toThrow('too easy to guess')
})

test('32 random bytes are accepted in hexadecimal and in base64', () => {
  for (let round = 0; round < 50; round += 1) {
    const bytes = randomBytes(32)
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(readConfig({ GROVE_SECRET: bytes.toString(encoding) }).secret).toBeDefined()
  }
})

test('a weak secret is never repeated in a message', () => {
  for (const GROVE_SECRET of ['change-me', 'secret'.repeat(10)]) {
    expect(() => readConfig({ GROVE_SECRET })).toThrow('too easy to guess')
    expect(() => readConfig({ GROVE_SECRET })).not.toThrow(/change-me|secretsecret/)
  }
})
