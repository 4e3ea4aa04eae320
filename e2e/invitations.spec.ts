import { openAs } from './support/account.ts'
import { mailedLink } from './support/mailbox.ts'
import { test } from './support/own-platform.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { peoplePage } from './support/people-page.ts'
import { expect, ownPassword, sample } from './support/test.ts'

const list = '/dashboard/cedar/account/invitations'

test('an administrator invites a person, who joins by the mailed link and is at Home', async ({
  page,
  browser,
  platform,
}) => {
  const email = 'dana.reed@example.com'
  const people = peoplePage(page)
  await openAs(page, sample.admin, people.address({}), platform.url)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  const address = page.getByLabel('Email', { exact: true })
  const send = page.getByRole('button', { name: 'Send invitation' })

  // An address that has an account leads to its person.
  await address.fill(sample.developer)
  await send.click()
  await expect(page.getByText('This address has an account already.')).toBeVisible()
  await expect(
    page.getByRole('link', { name: `Open the page of ${sample.developer}` }),
  ).toHaveAttribute('href', /\/people\/[\da-f-]{36}$/)
  await expectAccessible(page)

  await address.fill(email)
  await send.click()
  await expect(page).toHaveURL(/\/invitations\?invitation=[\da-f-]{36}$/)
  const row = page.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: email })
  await expect(row).toContainText('Invited')
  await expectAccessible(page)

  const guest = await browser.newPage({ baseURL: platform.url })
  const link = await mailedLink(platform.folder, email, '/login/invitation')
  await guest.goto(link)
  await guest.getByLabel('Your name').fill('Dana Reed')
  await guest.getByLabel('Password', { exact: true }).fill(ownPassword)
  await guest.getByRole('button', { name: 'Join' }).click()
  await guest.waitForURL('**/dashboard')
  await expect(guest.getByRole('button', { name: /Dana Reed/ })).toBeVisible()
  await guest.goto(link)
  await expect(guest.getByText('This invitation was used.')).toBeVisible()
  await guest.close()

  await page.goto(list)
  await expect(row).toContainText('Joined')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('an invitation is sent again, and withdrawn @long', async ({ page, platform }) => {
  const email = 'lena@example.com'
  await openAs(page, sample.admin, `${list}?create=true`, platform.url)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByRole('radio', { name: 'Administrator' }).check()
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('button', { name: 'Send again…' }).click()
  await answer(page, 'Send')
  await expect(page.getByText(`The invitation is sent to ${email}.`)).toBeVisible()
  const link = await mailedLink(platform.folder, email, '/login/invitation', 2)
  await page.getByRole('button', { name: 'Withdraw…' }).click()
  await answer(page, 'Withdraw')
  await expect(page.getByText(`The invitation to ${email} is withdrawn.`)).toBeVisible()
  const again = page.getByRole('button', { name: 'Send again…' })
  await expect(again).toHaveAttribute('aria-disabled', 'true')
  await expect(again).toHaveAccessibleDescription(/The invitation is withdrawn/)
  await page.goto(link)
  await expect(page.getByText('This invitation was withdrawn.')).toBeVisible()
})
