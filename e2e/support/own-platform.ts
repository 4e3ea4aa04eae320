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

interface WorkerFixtures {
  /** Files that name another platform get another: sample identities belong to who used them first. */
  platformName: string
  platform: OwnPlatform
}

/** Tests of one worker share a platform beside the one of all others, and may look into its folder. */
export const test = base.extend<object, WorkerFixtures>({
  platformName: ['shared', { option: true, scope: 'worker' }],
  platform: [
    async ({ platformName }, use) => {
      const folder = await mkdtemp(join(tmpdir(), `grove-e2e-${platformName}-`))
      const { url, stop } = await startPlatform({ GROVE_DATA: folder })
      await use({ url, folder })
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ platform }, use) => use(platform.url),
})
