import { appAnswers, appOf, versionOf } from '../support/app-answers.ts'
import { versionPage } from '../support/my-apps-pages.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const app = appOf({ 'en-US': 'Tide Clock' })
const ready = () => ({
  ...versionOf(app, '1.2.0'),
  state: 'ready' as const,
  rights: { enable: null, delete: null, replacePackage: null, download: null },
})
let version = ready()
const test = testAs(people.developer, () => {
  version = ready()
  return appAnswers([Object.assign(app, { linkId: null, revision: 1 })], [version])
})

test('a version that has just gone live says where people find it', async ({ page, baseURL }) => {
  const release = versionPage(page)
  await release.open(version)
  await release.enable.click()
  await answer(page, 'Publish')
  const dialog = page.getByRole('dialog', { name: 'Version 1.2.0 is live' })
  const open = dialog.getByRole('link', { name: 'Open the page' })
  await expect(open).toHaveAttribute('href', `${baseURL}/?app=${app.productId}`)
  await expect(dialog.getByRole('button', { name: 'Copy the URL' })).toBeVisible()
  await dialog.getByRole('button', { name: 'New link' }).click()

  const url = `${baseURL}/Ab3dEfg`
  await expect(open).toHaveAttribute('href', url)
  await expect(dialog.getByRole('img', { name: `QR code of ${url}` })).toBeVisible()
  await expect(dialog).toContainText('A phone cannot open this URL')
  await expect(dialog.getByRole('link', { name: 'How to set them' })).toHaveAttribute(
    'href',
    '/docs/publish#when-a-phone-cannot-open-the-link',
  )
  await expectAccessible(page, 'dialog')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)

  // Later, the page of the version shows the same.
  await release.part('Release').getByRole('button', { name: 'Share…' }).click()
  const share = page.getByRole('dialog', { name: 'Share this app' })
  await expect(share.getByRole('link', { name: 'All links of the app' })).toHaveAttribute(
    'href',
    `/dashboard/cedar/mobile/${app.productId}/links`,
  )
})

test('a rollback says that it is done, and nothing more', async ({ page }) => {
  Object.assign(version, { state: 'previous' })
  const release = versionPage(page)
  await release.open(version)
  await release.release.getByRole('button', { name: 'Roll back…' }).click()
  await answer(page, 'Roll back')
  await expect(page.getByText('Version 1.2.0 is live.', { exact: true })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})
