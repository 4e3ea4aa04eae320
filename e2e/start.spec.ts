import { expect, test } from '@playwright/test'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './support/run-folder.ts'

let folder: string
test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'grove-start-'))
})
test.afterEach(() => rm(folder, { recursive: true, force: true }))

test('a first start prints the address and two sample sign-ins, a second finds the data there', async () => {
  // The only test with a first start, and the slowest.
  test.slow()
  const first = await startPlatform({ GROVE_DATA: folder })
  await expect.poll(first.output).toMatch(/Developer\s+developer@grove.test\s+Grove2026!/)
  await expect.poll(first.output).toMatch(/Admin\s+admin@grove.test\s+Grove2026!/)
  const account = { email: 'stays@grove.test', password: 'Kept2026!', provider: 'grove' }
  expect((await post(`${first.url}/api/signup`, account)).status).toBe(200)
  await first.stop()
  expect(first.child.exitCode).toBe(0)

  const second = await startPlatform({ GROVE_DATA: folder })
  expect((await post(`${second.url}/api/token/password`, account)).status).toBe(200)
  await second.stop()
  expect(second.output()).not.toMatch(/error/i)
})

test('Ctrl-C lets a running request finish @long', async () => {
  await copyTemplate(folder)
  const platform = await startPlatform({ GROVE_DATA: folder })
  // Each hashes a password: when the first one is answered, others are still running.
  const account = { email: 'nobody@grove.test', password: 'Wrong2026!', provider: 'grove' }
  const answers = Array.from({ length: 5 }, () =>
    post(`${platform.url}/api/token/password`, account),
  )
  await Promise.race(answers)
  await platform.stop()
  for (const { status } of await Promise.all(answers)) expect([401, 429, 503]).toContain(status)
  expect(platform.child.exitCode).toBe(0)
})

test('a taken port is reported with a solution @long', async () => {
  await copyTemplate(folder)
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as { port: number }
  const { code, output } = await fails({ GROVE_DATA: folder, GROVE_PORT: String(port) })
  expect(output).toBe(
    `Port ${port} on 127.0.0.1 is taken. Stop the other program or set GROVE_PORT to a free port.\n`,
  )
  expect(code).toBe(1)
  holder.close()
})

test('an unusable data folder is reported with a solution @long', async () => {
  const file = join(folder, 'a-file')
  await writeFile(file, '')
  const { code, output } = await fails({ GROVE_DATA: join(file, 'data') })
  expect(output).toMatch(/^The data folder .*a-file\/data cannot be created .* GROVE_DATA .*\n$/)
  expect(code).toBe(1)
})

test('a data folder in use by another Grove is refused @long', async () => {
  await copyTemplate(folder)
  const holder = await startPlatform({ GROVE_DATA: folder })
  const { code, output } = await fails({ GROVE_DATA: folder })
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(output).toContain(String(holder.child.pid))
  expect(code).toBe(1)
  await holder.stop()
})

test('an invalid setting is reported with its allowed values', async () => {
  const { code, output } = await fails({ GROVE_DATA: folder, GROVE_ENV: 'prod' })
  expect(output).toBe('GROVE_ENV is "prod"; it must be one of: local, production.\n')
  expect(code).toBe(1)
})

test('an unreachable PostgreSQL is reported without its password', async () => {
  const { code, output } = await fails({
    GROVE_DATA: folder,
    DATABASE_URL: 'postgres://grove:secret@127.0.0.1:9/grove',
  })
  expect(output.trim().split('\n')).toHaveLength(1)
  expect(output).toContain('DATABASE_URL')
  expect(output).not.toContain('secret')
  expect(code).toBe(1)
})

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Starts the platform with settings that must make it fail. */
async function fails(env: Record<string, string>): Promise<{ code: number; output: string }> {
  const started = startPlatform(env).then(
    async (platform) => {
      await platform.stop()
      throw new Error('It started.')
    },
    (error: Error) => error.message,
  )
  const message = await started
  const [, code = '', output = ''] =
    /^The platform ended with (\d+):\n([\s\S]*)$/.exec(message) ?? []
  return { code: Number(code), output }
}
