import { startPlatform } from '../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './support/run-folder.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from './support/test.ts'

test('the page does not exist where others have access @long', async ({ request }) => {
  const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-kit-'))
  await copyTemplate(folder)
  const platform = await startPlatform({
    GROVE_DATA: folder,
    GROVE_TRUST_PROXY: 'on',
    GROVE_SAMPLE: 'off',
    GROVE_CONSOLE_URL: 'https://grove.test',
  })
  try {
    const named = { headers: { host: 'grove.test' } }
    expect((await request.get('/dev/kit')).status()).toBe(200)
    expect((await request.get(`${platform.url}/dev/kit`, named)).status()).toBe(404)
    expect((await request.get(`${platform.url}/login`, named)).status()).toBe(200)
  } finally {
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
