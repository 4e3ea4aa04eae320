import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './run-folder.ts'
import { test as base } from './test.ts'

interface OwnPlatform {
  url: string
  /** Its data folder. */
  folder: string
}

interface WorkerFixtures {
  platform: OwnPlatform
  /** Settings that the platform is started with besides. */
  platformEnv: Record<string, string>
}

/**
 * Tests of one worker share a platform beside the one of all others: sample identities belong to who
 * used them first, and one network may ask for few mails. They may look into its folder.
 */
export const test = base.extend<object, WorkerFixtures>({
  platformEnv: [{}, { scope: 'worker', option: true }],
  platform: [
    async ({ platformEnv }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-own-'))
      await copyTemplate(folder)
      const { url, stop } = await startPlatform({ GROVE_DATA: folder, ...platformEnv })
      await use({ url, folder })
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ platform }, use) => use(platform.url),
})
