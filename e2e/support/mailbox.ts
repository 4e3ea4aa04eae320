import { expect } from '@playwright/test'
import { join } from 'node:path'
import { listMails } from '../../apps/platform/src/core/mail/mail-folder.ts'

/** Waits for the newest mail to an address that leads to this page; `count` of them have to be there. */
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

/** The token of the newest link to this page that was mailed to this address, from the page of mails. */
export async function mailedToken(url: string, email: string, page: 'reset' | 'email') {
  const read = async (address: string) => (await fetch(address)).text()
  const link = new RegExp(`/login/${page}#([\\w-]+)`)
  let token: string | undefined
  const look = async () => {
    const list = await read(`${url}/dev/mail`)
    for (const [, id] of list.matchAll(/\/dev\/mail\/([\w.-]+Z-[\w-]+)"/g)) {
      const mail = await read(`${url}/dev/mail/${id}`)
      if (mail.includes(email)) token ??= link.exec(mail)?.[1]
    }
    return token
  }
  await expect.poll(look).toBeDefined()
  return token
}
