import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  startFcmServer,
  type FcmServer,
} from '../../apps/platform/src/services/cedar/push-transport/testing/fcm-server.ts'
import { startPlatform } from '../../apps/platform/src/core/testing/platform-process.ts'
import { copyTemplate } from './run-folder.ts'
import { test as base } from './test.ts'

interface WorkerFixtures {
  fcm: FcmServer
  sender: { url: string }
}

/** The tests of one worker share a platform that sends through a fake FCM server. */
export const test = base.extend<object, WorkerFixtures>({
  fcm: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const fcm = await startFcmServer()
      await use(fcm)
      await fcm.stop()
    },
    { scope: 'worker' },
  ],
  sender: [
    async ({ fcm }, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'grove-e2e-push-'))
      await copyTemplate(folder)
      const env = { GROVE_FCM_ACCOUNT: fcm.account, GROVE_FCM_URL: fcm.url }
      const { url, stop } = await startPlatform({ GROVE_DATA: folder, ...env })
      await use({ url })
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ sender }, use) => use(sender.url),
})
