import { randomUUID } from 'node:crypto'
import type { Device } from '@grove/contract/maple/fleet/device'
import { signedIn, type Account } from './support/account.ts'
import { drivenPage, keys } from './support/driven-page.ts'
import { firefox } from './support/firefox.ts'
import { startLine } from './support/line.ts'
import { expect, password, sample, test } from './support/test.ts'
import { webKit } from './support/webkit.ts'

// Where browsers differ: popovers, dialogs, focus, keys, colours, anchors, charts.

const list = '/dashboard/maple/devices'
interface Page<Item> {
  items: Item[]
}

const platform = () => process.env['GROVE_E2E_URL'] ?? ''

async function registerDevice(account: Account): Promise<string> {
  const id = `other-${randomUUID().slice(0, 8)}`
  const body = { id, name: `Other ${id}`, type: 'iot', state: 'accepted' }
  await account.call('/api/maple/device', { method: 'POST', body })
  return id
}

for (const { name, needs, isHere, start } of [webKit, firefox])
  test.describe(`in ${name}`, () => {
    const titled = (title: string) => `${title} (needs ${needs}) @long`
    // One browser for all of these tests.
    test.describe.configure({ mode: 'default', timeout: 90_000 })
    test.skip(!isHere)
    let page: ReturnType<typeof drivenPage>
    test.beforeAll(async () => {
      if (isHere) page = drivenPage(await start())
    })
    test.afterAll(() => page?.close())

    /** Opens a page as someone who is signed in. */
    async function openAs(email: string | null, path: string): Promise<Account | null> {
      const account = email === null ? null : await signedIn(platform(), email)
      await page.open(`${platform()}/login`)
      await page.run((items) => {
        localStorage.clear()
        sessionStorage.clear()
        localStorage.setItem('grove.locale', 'en-US')
        localStorage.setItem('grove.locale.source', 'account')
        for (const item of items) localStorage.setItem(item.name, item.value)
      }, account?.storage ?? [])
      await page.open(platform() + path)
      return account
    }

    test(titled('one signs in and out by keyboard'), async () => {
      await openAs(null, '/login')
      await page.seen('#root form')
      await expect.poll(page.focused).toBe('email')
      await page.type(`${sample.admin}${keys.Tab}${password}${keys.Enter}`)
      await page.at('/dashboard')
      await page.seen('h1', 'Home')
      await page.click('aside button', 'Logout')
      await page.at('/')
    })

    test(
      titled('a filter opens below its button, within the window, and Escape closes it'),
      async () => {
        await openAs(sample.admin, list)
        await page.seen('main tbody tr[aria-label]')
        await page.click('main button', 'State')
        const box = await page.seen('[popover]:popover-open')
        const button = await page.seen('main button', 'State')
        const [width, height] = await page.run(
          () => [window.innerWidth, window.innerHeight] as const,
        )
        expect(box.y).toBeGreaterThanOrEqual(button.y + button.height)
        expect(box.y + box.height).toBeLessThanOrEqual(height)
        expect(box.x).toBeGreaterThanOrEqual(0)
        expect(box.x + box.width).toBeLessThanOrEqual(width)
        await page.click('[popover]:popover-open label', 'Retired')
        await page.at(/state=/)
        await page.type(keys.Escape)
        await page.gone('[popover]:popover-open')
      },
    )

    test(titled('the palette finds a page by another word, and Enter opens it'), async () => {
      await openAs(sample.admin, list)
      await page.seen('main tbody tr[aria-label]')
      await page.type('k', keys.Control)
      await page.seen('dialog[open] [role=combobox]')
      await page.type('firmware')
      await page.seen('dialog[open] [role=option]')
      await page.type(keys.Enter)
      await page.at(/^\/dashboard\/maple\/binary_images/)
    })

    test(titled('a row opens its panel, and Escape gives the focus back'), async () => {
      await openAs(sample.admin, list)
      await page.seen('main tbody tr[aria-label]')
      const row = await page.run(
        () => document.querySelector('main tbody tr[aria-label]')?.getAttribute('aria-label') ?? '',
      )
      await page.click(`main tbody tr[aria-label="${row}"] a`, row)
      await page.seen('[role=dialog] h2, dialog[open] h2', row)
      await page.type(keys.Escape)
      await page.gone('[role=dialog] h2, dialog[open] h2')
      await page.at(list)
      expect(await page.focused()).toContain(row)
    })

    test(titled('a question is a dialog, which Escape answers with no'), async () => {
      const account = await openAs(sample.admin, list)
      if (!account) throw new Error('Nobody is signed in.')
      const id = await registerDevice(account)
      await page.open(`${platform()}${list}/${id}`)
      await page.click('main button', 'Retire…')
      await page.seen('dialog[open]')
      await page.type(keys.Escape)
      await page.gone('dialog[open]')
      const { items } = await account.call<Page<Device>>(`/api/maple/device?id=${id}`)
      expect(items).toMatchObject([{ id, state: 'accepted' }])
    })

    test(titled('a form that was begun asks before it is closed'), async () => {
      await openAs(sample.admin, `${list}?create=true`)
      await page.click('[role=dialog] input[name=name], dialog[open] input[name=name]')
      await page.type(`Begun${keys.Escape}`)
      await page.seen('dialog[open] button', 'Stay')
      await page.type(keys.Escape)
      await page.seen('[role=dialog] input[name=name], dialog[open] input[name=name]')
    })

    test(titled('language and colours change at once'), async () => {
      await openAs(sample.developer, '/dashboard/cedar/mobile')
      await page.seen('main h1', 'My apps')
      const colour = () =>
        page.run(() => getComputedStyle(document.documentElement).backgroundColor)
      const light = await colour()
      await page.click('aside button[popovertarget]')
      await page.seen('[popover]:popover-open select')
      await page.run(() => {
        // The list of a select is not part of the page.
        const scheme = document.querySelectorAll<HTMLSelectElement>(
          '[popover]:popover-open select',
        )[1]
        if (!scheme) throw new Error('There is no choice of colours.')
        scheme.value = 'dark'
        scheme.dispatchEvent(new Event('change', { bubbles: true }))
      })
      await expect.poll(colour).not.toBe(light)
    })

    test(titled('a link to a part of a guide shows that part'), async () => {
      await page.open(`${platform()}/docs/first-device`)
      await page.seen('main h1')
      const last = await page.run(() => [...document.querySelectorAll('main h2[id]')].at(-1)?.id)
      await page.open(`${platform()}/docs`)
      await page.open(`${platform()}/docs/first-device#${last}`)
      const isShown = () =>
        page.run((id) => {
          const top = document.getElementById(id)?.getBoundingClientRect().top ?? -1
          return top >= 0 && top < window.innerHeight
        }, last ?? '')
      await expect.poll(isShown).toBe(true)
    })

    test(titled('Back returns to the list as it was'), async () => {
      await openAs(sample.admin, `${list}?state=online`)
      await page.seen('main tbody tr[aria-label]')
      await page.click('aside nav a', 'Overview')
      await page.at('/dashboard/maple')
      await page.run(() => history.back())
      await page.at(`${list}?state=online`)
      await page.seen('main tbody tr[aria-label]')
    })

    test(titled('a chart is drawn'), async () => {
      await openAs(sample.admin, '/dashboard/maple')
      await page.seen('main canvas')
      const drawn = () =>
        page.run(() => {
          const canvas = document.querySelector<HTMLCanvasElement>('main canvas')
          const { width = 0, height = 0 } = canvas ?? {}
          const { data } = canvas?.getContext('2d')?.getImageData(0, 0, width, height) ?? {
            data: [],
          }
          return data.some((value) => value > 0)
        })
      await expect.poll(drawn).toBe(true)
    })
  })

// WebKit’s driver waits until a page has loaded.
test(`in ${firefox.name}, text typed before the scripts load is kept (needs ${firefox.needs}) @long`, async () => {
  test.skip(!firefox.isHere)
  const slow = { latency: 150, bytesPerSecond: 100_000, isCold: true }
  const { url, close } = await startLine(platform(), slow)
  const page = drivenPage(await firefox.start())
  try {
    await page.open(`${url}/stage.json`)
    await page.run((to) => void setTimeout(() => location.assign(to), 50), `${url}/login`)
    await page.seen('#early-form [name=email]')
    await expect.poll(page.focused).toBe('email')
    await page.type('somebody@grove.test')
    await page.seen('#root form')
    await page.type('s')
    const typed = () =>
      page.run(() => document.querySelector<HTMLInputElement>('#root [name=email]')?.value)
    await expect.poll(typed).toBe('somebody@grove.tests')
  } finally {
    await page.close()
    close()
  }
})
