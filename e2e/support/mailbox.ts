import { expect } from '@playwright/test'
import { join } from 'node:path'
import { listMails } from '../../apps/platform/src/core/mail/mail-folder.ts'

/**
 * Waits for the newest mail to an address with a link to this page; there must be `count` of them.
 */
export async function mailedLink(folder: string, to: string, page: string, count = 1) {
  const links = async () => {
    const mails = await listMails(join(folder, 'mail'))
    return mails
      .filter((mail) => mail.to === to)
      .flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? [])
      .filter((link) => new URL(link).pathname === page)
  }
  await expect.poll(async () => (await links()).length).toBe(count)
  return (await links())[0] ?? ''
}
