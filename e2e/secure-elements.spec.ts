import type { Page } from '@playwright/test'
import { randomBytes } from 'node:crypto'
import { signedIn, testAs } from './support/account.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const hex = (bytes: number) => randomBytes(bytes).toString('hex').toUpperCase()
/** A chip of the SE05x family on a platform of its own. */
const newCplc = () => `4790D321${hex(6)}6123${hex(30)}`
const serialOf = (cplc: string) => cplc.slice(24, 32)
const grouped = (cplc: string) => cplc.match(/.{4}/g)?.join(' ') ?? ''

async function register(page: Page, cplc: string) {
  await page.goto('/dashboard/maple/secure_elements?create=true')
  await page.getByRole('textbox', { name: 'CPLC' }).fill(cplc)
}

test('an admin registers a chip from a raw reply, gives its platform a profile, and plans its domains @long', async ({
  page,
}) => {
  const cplc = newCplc()
  const platform = cplc.slice(0, 20)
  await register(page, '9F7F2A4790')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByText('4 of 84 hex digits')).toBeVisible()
  await page.getByRole('textbox', { name: 'CPLC' }).fill(`9f7f 2a ${grouped(cplc)} 9000`)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nobody has read this chip yet.')).toBeVisible()

  await page.getByRole('navigation', { name: 'Secure elements' }).getByText('Profiles').click()
  await page.getByRole('button', { name: 'New profile' }).click()
  const form = page.getByRole('dialog', { name: 'New profile' })
  await form.getByRole('textbox', { name: 'Name' }).fill(`Transit ${platform}`)
  await form.getByRole('textbox', { name: 'ID' }).fill(`transit-${platform}`)
  await form.getByRole('combobox', { name: 'Platform (optional)' }).fill(platform)
  await expectAccessible(page, 'dialog')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form).toBeHidden()
  await expectAccessible(page)
  await page.getByRole('link', { name: `Transit ${platform}` }).click()
  const table = page.getByRole('table', { name: 'Secure elements' })
  await expect(table.locator('tbody').getByRole('row')).toHaveCount(1)
  await expect(table).toContainText(`Transit ${platform} by rule`)
  await expectAccessible(page)

  await page.goto(`/dashboard/maple/secure_elements/${cplc.toLowerCase()}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(serialOf(cplc))
  await expect(page).toHaveURL(new RegExp(cplc))
  await page.getByRole('button', { name: 'Change the domains…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the security domains' })
  // The issuer's domain of a card, as GlobalPlatformPro read it.
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog
    .getByRole('textbox', { name: 'Domains' })
    .fill('E3144F07A00000015100009F700107C50180EA0280009000')
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('Adds 1 domain')).toBeVisible()
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('button', { name: 'Apply this plan' }).click()
  // The plan in the dialog has the same text: wait until it is closed.
  await expect(dialog).toBeHidden()
  await expect(page.getByText('issuer security domain')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('INITIALIZED')

  // A domain is added and edited in the tree, and the JSON follows.
  await page.getByRole('button', { name: 'Change the domains…' }).click()
  const issuer = 'A0000001510000'
  const [aid, child] = [`A0000000${hex(4)}`, `A0000000${hex(4)}`]
  await dialog.getByRole('button', { name: `Add a domain below ${issuer}` }).click()
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('A domain has no AID yet.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'AID' }).fill(aid.toLowerCase())
  await dialog.getByRole('checkbox', { name: /^Delegated management/ }).check()
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  const text = dialog.getByRole('textbox', { name: 'Domains' })
  await expect(text).toHaveValue(new RegExp(`"aid": "${aid}",\\s+"parent": "${issuer}"`))
  // Pasted JSON appears in the tree; invalid JSON stays to be corrected.
  const pasted = await text.inputValue()
  await text.fill(pasted.slice(0, -1))
  await dialog.getByRole('tab', { name: 'Tree' }).click()
  await expect(dialog.getByText('This is not a JSON list.')).toBeVisible()
  await text.fill(
    pasted.replace(
      /\]\s*$/,
      `,{"aid":"${child}","parent":"${aid}","state":"selectable","privileges":["securityDomain"]}]`,
    ),
  )
  await dialog.getByRole('tab', { name: 'Tree' }).click()
  await expect(dialog.getByRole('list', { name: 'Domains' })).toContainText(child)
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('Adds 2 domains')).toBeVisible()
  await dialog.getByRole('button', { name: 'Apply this plan' }).click()
  await expect(page.getByRole('list', { name: 'Tree of security domains' })).toContainText(child)

  // Before a removal a question names the domains below, which go too.
  await page.getByRole('button', { name: 'Change the domains…' }).click()
  await dialog.getByRole('button', { name: `Remove ${aid}` }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText(`The domain below it is removed as well: ${child}.`)
  await answer(page, 'Remove')
  const replace = dialog.getByRole('radio', { name: 'Replace: they are removed' })
  await expect(replace).toBeChecked()
  await expect(replace).toHaveAccessibleName(new RegExp(`2 are removed: .*${aid}`))
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('radio', { name: 'Merge: they stay' }).check()
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('The element already has exactly these domains.')).toBeVisible()
  await replace.check()
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('Removes 2 domains')).toBeVisible()
  await dialog.getByRole('button', { name: 'Apply this plan' }).click()
  await expect(page.getByRole('list', { name: 'Tree of security domains' })).not.toContainText(aid)
  await page.setViewportSize({ width: 1280, height: 720 })

  await page.getByRole('button', { name: 'Change the domains…' }).click()
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByRole('textbox', { name: 'Domains' }).fill('[]')
  await replace.check()
  await dialog.getByRole('button', { name: 'Show the plan' }).click()
  await expect(dialog.getByText('cannot be deleted.')).toBeVisible()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')

  await page.getByRole('button', { name: 'Move the keys to an HSM…' }).click()
  await expect(page.getByText('Without the HSM, this chip cannot be managed.')).toBeVisible()
  await answer(page, 'Request approval')
  await expect(page.getByText('Requested. Two other people must approve it.')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('a chip that was personalised again replaces its old CPLC @long', async ({ page }) => {
  const former = newCplc()
  const cplc = former.slice(0, 36) + hex(24)
  await register(page, former)
  await page.keyboard.press('Enter')
  await expect(page.getByText('The element is registered.')).toBeVisible()

  await register(page, cplc)
  await page.getByRole('radio', { name: /It is another chip with the same ID/ }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'Open', exact: true }).click()
  const conflict = page.getByRole('region', { name: 'Conflict' })
  await expect(conflict.getByRole('link', { name: former })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectAccessible(page)
  await conflict.getByRole('button', { name: 'Replace it…' }).click()
  await answer(page, 'Replace it')
  await expect(conflict).toBeHidden()
  await expect(page.getByText('Former CPLC', { exact: true })).toBeVisible()

  await page.goto(`/dashboard/maple/secure_elements/${former}`)
  await expect(page).toHaveURL(new RegExp(cplc))
  await page.getByRole('button', { name: 'Delete…' }).click()
  await answer(page, 'Delete the element')
  await expect(page).toHaveURL(/secure_elements$/)
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await expect(
    page.getByRole('heading', { name: 'There is no element with this CPLC' }),
  ).toBeVisible()
})

test('a card that was changed elsewhere is found, and stays marked until someone has looked at it @long', async ({
  page,
  account,
}) => {
  const post = { method: 'POST' } as const
  const name = `Elsewhere ${hex(4)}`
  const cards = '/api/maple/software_cards'
  const { id: cplc } = await account.call<{ id: string }>(cards, { ...post, body: { name } })
  await account.call('/api/maple/se/card/read', { ...post, body: { cplc } })
  const { id: snapshot } = await account.call<{ id: string }>(`${cards}/snapshots?id=${cplc}`, {
    ...post,
    body: { name },
  })
  const aid = 'A0000001515350410009'
  const { items } = await account.call<{ items: object[] }>(`/api/maple/se/domains?cplc=${cplc}`)
  const domains = [
    ...items,
    { aid, parent: 'A000000151000000', state: 'selectable', privileges: ['securityDomain'] },
  ]
  const plan = '/api/maple/se/card/domains?dryRun='
  const body = { cplc, domains }
  const { digest } = await account.call<{ digest: string }>(`${plan}true`, { ...post, body })
  await account.call(`${plan}false`, { ...post, body: { ...body, digest } })
  await expect
    .poll(async () =>
      JSON.stringify(await account.call(`/api/maple/se/card/operation?cplc=${cplc}`)),
    )
    .toContain('"succeeded"')
  await account.call('/api/maple/se/keys/purpose', {
    ...post,
    body: { cplc, purpose: 'token', kind: 'AES' },
  })
  await expect
    .poll(async () => JSON.stringify(await account.call(`/api/maple/se/keys/purpose?cplc=${cplc}`)))
    .toContain('"active"')
  await account.call('/api/maple/se/card/read', { ...post, body: { cplc } })
  // A change as by another host.
  await account.call(`${cards}/restore`, { ...post, body: { snapshotId: snapshot } })

  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const card = page.getByRole('region', { name: 'The card', exact: true })
  await card.getByRole('button', { name: 'Read again' }).click()
  await expect(card).toContainText('The card differed from Grove’s records')
  await expect(card).toContainText(`Missing security domains: ${aid}`)
  await expect(card).toContainText('Missing key versions: 70')
  await expectAccessible(page)

  await page.goto('/dashboard/maple/secure_elements?reading=differs')
  const row = page.getByRole('row').filter({ hasText: serialOf(cplc) })
  await expect(row).toContainText('differed')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await expectNoOverflow(page)

  // After someone reported that they looked, the card differs in another way.
  await page.goto(`/dashboard/maple/secure_elements?reading=differs&q=${cplc}`)
  await page.getByRole('checkbox', { name: serialOf(cplc) }).check()
  const say = { ...post, body: { cplc } }
  const looked = '/api/maple/se/card/difference'
  await account.call(looked, say)
  await account.call('/api/maple/se/domains?dryRun=false', {
    ...post,
    body: { cplc, domains },
  })
  await account.call('/api/maple/se/card/read', say)
  const dialog = page.getByRole('dialog')
  const sayTogether = async () => {
    await page.getByRole('button', { name: 'I have looked at these…' }).click()
    await expect(question(page)).toContainText('Have you looked at how 1 card differed?')
    await expectAccessible(page, '[role=alertdialog]')
    await answer(page, 'I have looked')
  }
  await sayTogether()
  await expect(dialog).toContainText('1 refused')
  await expect(dialog).toContainText('The card was found to differ again')
  await expectNoOverflow(page)
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await sayTogether()
  await expect(dialog).toContainText('1 of 1 done')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('checkbox', { name: serialOf(cplc) })).toHaveCount(0)
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await expect(card.getByRole('button', { name: 'Read again' })).toBeVisible()
  await expect(card).not.toContainText('The card differed')
})

test('an admin selects elements and assigns, exports, reads and uses them together', async ({
  page,
  account,
}) => {
  const platform = `4790D321${hex(6)}`
  const cplcs = [1, 2, 3].map((batch) => `${platform}6123${hex(4)}000${batch}${'0'.repeat(48)}`)
  for (const cplc of cplcs)
    await account.call('/api/maple/se/element', { method: 'POST', body: { cplc } })
  const profile = `bulk-${platform}`.toLowerCase()
  await account.call('/api/maple/se/profiles', {
    method: 'POST',
    body: { id: profile, name: profile },
  })
  const name = `Look ${platform}`
  await account.call('/api/maple/scripts', { method: 'POST', body: { name } })

  await page.goto(`/dashboard/maple/secure_elements?q=${platform}`)
  const table = page.getByRole('table', { name: 'Secure elements' })
  await expect(table.locator('tbody').getByRole('row')).toHaveCount(3)
  const box = (cplc = '') => table.getByRole('checkbox', { name: serialOf(cplc) })
  await box(cplcs[0]).focus()
  await page.keyboard.press('Space')
  await box(cplcs[1]).check()
  await expect(page.getByText('2 rows selected')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Assign a profile…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(dialog.getByText('Choose a profile.')).toBeVisible()
  await dialog.getByLabel('Profile').click()
  await page.getByRole('combobox', { name: 'Search' }).fill(profile)
  await page.getByRole('option', { name: profile }).click()
  await expectAccessible(page, 'dialog')
  await dialog.getByRole('button', { name: 'Assign', exact: true }).click()
  await expect(dialog).toContainText('2 of 2 done')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(table.getByText(profile)).toHaveCount(2)

  // These chips are unreachable: each is listed with the reason.
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Read the cards…' }).click()
  await answer(page, 'Read')
  await expect(dialog).toContainText('3 refused')
  for (const cplc of cplcs) await expect(dialog).toContainText(cplc)
  await dialog.getByRole('button', { name: 'Close' }).click()

  await box(cplcs[2]).uncheck()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).last().click()
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  const file = await (await download).createReadStream()
  const [, ...lines] = (await file.toArray()).join('').trim().split('\r\n')
  expect(lines.map((line) => line.slice(0, 84))).toEqual(cplcs.slice(0, 2).toSorted())

  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.getByRole('button', { name: 'Install or run…' }).click()
  await dialog.getByLabel('What to do').selectOption({ label: 'Run a script' })
  await dialog.getByLabel('Script').click()
  await page.getByRole('combobox', { name: 'Search' }).fill(name)
  await page.getByRole('option', { name }).click()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)
  for (const cplc of cplcs.slice(0, 2))
    await expect(page.getByText(serialOf(cplc), { exact: true })).toBeVisible()
  await expect(page.getByText(serialOf(cplcs[2] ?? ''), { exact: true })).toHaveCount(0)
  await page.reload()
  await expect(page.getByText(serialOf(cplcs[0] ?? ''), { exact: true })).toBeVisible()
})
