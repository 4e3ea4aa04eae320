import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from './platform-process.ts'
import { test as base } from './test.ts'

interface OwnPlatform {
  url: string
  /** Its data folder. */
  folder: string
}

/** Tests of one worker share a platform that no other file changes, and may look into its folder. */
export const test = base.extend<object, { platform: OwnPlatform }>({
  platform: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-'))
      const { url, stop } = await startPlatform({ GROVE_DATA: folder })
      await use({ url, folder })
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ platform }, use) => use(platform.url),
})
