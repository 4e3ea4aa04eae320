import { signedIn } from './support/account.ts'
import type { Driven } from './support/driven.ts'
import { firefox } from './support/firefox.ts'
import { startLine, type LineSettings } from './support/line.ts'
import { expect, sample, test } from './support/test.ts'
import { webKit } from './support/webkit.ts'

// A page opened by its URL starts differently from one reached by a link, and browsers differ in how
// they load its first files.

const slow = { latency: 150, bytesPerSecond: 200_000 }
const lines: [string, LineSettings][] = [
  ['a fast line', {}],
  ['a fast line, each page for the first time', { isCold: true }],
  ['a slow line', slow],
  ['a slow line, each page for the first time', { ...slow, isCold: true }],
]

/** The text of a page: its heading once its list has loaded, or the message in its place. */
const shown = () => {
  const textOf = (selector: string) =>
    [...document.querySelectorAll(selector)].map((part) => part.textContent).join('')
  const isBusy = document.querySelector('main [aria-busy=true], main [data-loading]') !== null
  return { failure: textOf('[role=alert]'), heading: isBusy ? '' : textOf('main h1') }
}

async function expectShown(page: Driven, address: string) {
  const see = async () => Object.values(await page.run(shown)).join('')
  await expect.poll(see, { message: address, timeout: 30_000 }).not.toBe('')
  expect({ address, ...(await page.run(shown)) }).toMatchObject({ address, failure: '' })
}

for (const { name, needs, isHere, start } of [webKit, firefox])
  for (const [line, settings] of lines)
    for (const [role, email] of [
      ['an admin', sample.admin],
      ['a developer', sample.developer],
    ] as const)
      test(`${name} opens every page in the menu of ${role} by its address, over ${line} (needs ${needs}) @long`, async ({
        baseURL,
      }) => {
        test.skip(!isHere)
        test.setTimeout(900_000)
        const platform = baseURL ?? ''
        const { storage } = await signedIn(platform, email)
        const { url, close } = await startLine(platform, settings)
        const page = await start()
        try {
          await page.open(`${url}/login`)
          await page.run((items) => {
            for (const item of items) localStorage.setItem(item.name, item.value)
          }, storage)
          await page.open(`${url}/dashboard`)
          await expectShown(page, '/dashboard')
          const linked = (selector: string) =>
            page.run(
              (links) =>
                [...document.querySelectorAll(links)].map(
                  (link) => link.getAttribute('href') ?? '',
                ),
              selector,
            )
          const addresses = new Set(await linked('aside nav a'))
          const inMenu = addresses.size
          expect(inMenu).toBeGreaterThan(4)
          // The tabs of a page are added to the set during the loop, and visited too.
          for (const address of addresses) {
            await page.open(url + address)
            await expectShown(page, address)
            for (const tab of await linked('main > nav a')) addresses.add(tab)
            await page.reload()
            await expectShown(page, `${address}, again`)
          }
          expect(addresses.size).toBeGreaterThan(inMenu)
        } finally {
          await page.close()
          close()
        }
      })
