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
  /** Additional settings of the platform. */
  platformEnv: Record<string, string>
}

/**
 * The tests of one worker share a separate platform: sample identities belong to the first account
 * that uses them, and one network may request few mails. They may read its folder.
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
