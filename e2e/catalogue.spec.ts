import { newDeveloper, type Account } from './support/account.ts'
import { createApp, createVersion, miniAppZip, switchVersion } from './support/catalogue.ts'
import { expectDrawn } from './support/page-checks.ts'
import { newTitle, publish, startPage } from './support/start-page.ts'
import { expect, test as base } from './support/test.ts'

/** The browser is signed out; the account publishes what it sees. */
const test = base.extend<{ publisher: Account }>({
  publisher: async ({ baseURL }, use) => use(await newDeveloper(baseURL ?? '')),
})

test('an anonymous visitor finds the sample apps, and reload and Back restore the search', async ({
  page,
}) => {
  const start = startPage(page)
  await start.open()
  await start.searchBox.fill('TIDE tab')
  await expect(start.link('Tide Table')).toBeVisible()
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await expect(start.card('Tide Table')).toContainText('When the water comes and goes')
  await expectDrawn(start.card('Tide Table').locator('img'))
  await page.reload()
  await expect(start.searchBox).toHaveValue('TIDE tab')
  await expect.poll(start.titles).toEqual(['Tide Table'])
  await start.searchBox.fill('split')
  await expect.poll(start.titles).toEqual(['Split the Bill'])
  await expect(start.card('Split the Bill')).toContainText('Harbour Studio')
  await page.goBack()
  await expect(start.searchBox).toHaveValue('')
  await expect(start.link('Split the Bill')).toBeVisible()
})

test('a draft is not listed, and a disabled app disappears with its link', async ({
  page,
  publisher,
}) => {
  const title = newTitle()
  const live = await publish(publisher, { 'en-US': `${title} live` })
  const draft = await createApp(publisher, { 'en-US': `${title} draft` })
  await createVersion(publisher, draft, '1.0.0', await miniAppZip())
  const start = startPage(page)
  await start.open({ q: title })
  await expect.poll(start.titles).toEqual([`${title} live`])
  await switchVersion(publisher, live, false)
  await page.reload()
  await expect(start.catalogue).toContainText(`Nothing found for “${title}”`)
  for (const app of [live.productId, draft.productId, 'no-id']) {
    await start.open({ q: title, app })
    await expect(start.details).toContainText('not in the catalogue')
    await start.details.getByRole('button', { name: 'Show all mini-apps' }).click()
    await expect(start.details).toHaveCount(0)
  }
  await start.showAll.click()
  await expect(start.searchBox).toHaveValue('')
})
