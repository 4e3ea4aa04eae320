import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { makeCap } from '../packages/secure-element/src/cap/make-cap.ts'
import { newDeveloper, signedIn, testAs, type Account } from './support/account.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const delegate = 'A0000001515350410007'
const serialOf = (cplc: string) => cplc.slice(24, 32)

/** A software card with a domain that manages its applets with tokens. */
async function cardOfDelegate(account: Account): Promise<string> {
  const post = { method: 'POST' } as const
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    ...post,
    body: { name: `Delegate ${randomUUID()}`, kind: 'scp03' },
  })
  await account.call('/api/maple/se/card/read', { ...post, body: { cplc } })
  const domains = [
    ...(await account.call<{ items: object[] }>(`/api/maple/se/domains?cplc=${cplc}`)).items,
    {
      aid: delegate,
      parent: 'A000000151000000',
      state: 'selectable',
      privileges: ['securityDomain', 'delegatedManagement'],
    },
  ]
  const plan = '/api/maple/se/card/domains?dryRun='
  const { digest } = await account.call<{ digest: string }>(`${plan}true`, {
    ...post,
    body: { cplc, domains },
  })
  await account.call(`${plan}false`, { ...post, body: { cplc, domains, digest } })
  const path = `/api/maple/se/card/operation?cplc=${cplc}`
  await expect.poll(async () => JSON.stringify(await account.call(path))).toContain('"succeeded"')
  return cplc
}

/** Another person approves whatever waits for a card or an applet. */
async function approve(account: Account, url: string, subject: string): Promise<void> {
  const other = await newDeveloper(url)
  const { user_id: id } = await other.call<{ user_id: string }>('/api/user/info')
  const roles = ['security_officer']
  await account.call('/api/maple/account', { method: 'POST', body: { id, roles } })
  const { items } = await other.call<{ items: Approval[] }>('/api/maple/approvals?state=pending')
  const own = items.filter((each) => each.subject === subject || each.input.applet === subject)
  expect(own).toHaveLength(1)
  for (const each of own)
    await other.call(`/api/maple/approvals?id=${each.id}`, {
      method: 'PUT',
      body: { isApproved: true },
    })
}

/** Uploads a new package and opens its page. */
async function newApplet(page: Page): Promise<void> {
  const id = randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()
  const name = `example.fare${id.toLowerCase()}`
  const cap = makeCap({
    name,
    aid: `A0000000${id}`,
    applets: [{ aid: `A0000000${id}01`, name: `${name}.Fare` }],
  })
  await page.goto('/dashboard/maple/applets?create=true')
  const panel = page.locator('[data-panel]')
  await panel
    .getByTestId('chosen-file')
    .setInputFiles({ name: 'fare.cap', mimeType: 'application/zip', buffer: Buffer.from(cap) })
  await panel.getByRole('button', { name: 'Upload', exact: true }).click()
  await panel.getByRole('link', { name: 'Open', exact: true }).click()
}

async function choose(page: Page, cplc: string): Promise<void> {
  await page.getByRole('button', { name: 'Add an element' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(serialOf(cplc))
  await page.getByRole('option', { name: serialOf(cplc) }).click()
}

/** Gives the card keys for tokens and receipts. */
async function giveKeys(account: Account, cplc: string): Promise<void> {
  for (const purpose of ['token', 'receipt']) {
    const body = { cplc, purpose, kind: 'AES' }
    await account.call('/api/maple/se/keys/purpose', { method: 'POST', body })
    await expect
      .poll(async () => {
        const path = `/api/maple/se/keys/purpose?cplc=${cplc}`
        const { items } = await account.call<{ items: { state: string }[] }>(path)
        return items.every(({ state }) => state === 'active')
      })
      .toBe(true)
  }
}

async function saved(page: Page, button: Locator): Promise<string> {
  const download = page.waitForEvent('download')
  await button.click()
  return (await download).path()
}

test('a domain installs an applet with tokens that another person approves', async ({
  page,
  account,
  baseURL,
}) => {
  const cplc = await cardOfDelegate(account)
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const keys = page.getByRole('region', { name: 'Keys for tokens, receipts and DAP' })
  await expect(keys).toContainText('with one for receipts, the card proves what it did')
  const purposes = [
    'Tokens: the domain verifies commands of delegates',
    'Receipts: the card proves what a delegate did',
  ]
  for (const [index, purpose] of purposes.entries()) {
    // One after the other.
    await expect(keys.getByRole('listitem').filter({ hasText: 'In use' })).toHaveCount(index)
    await keys.getByRole('button', { name: 'Give a key…' }).click()
    const give = page.getByRole('dialog', { name: 'Give a security domain a key?' })
    await give.getByRole('combobox', { name: 'Purpose' }).selectOption(purpose)
    await give.getByRole('combobox', { name: 'The key is' }).selectOption('entered here')
    await give.getByRole('button', { name: 'Send the key' }).click()
    await expect(give).toContainText('Enter the key.')
    await give.getByRole('textbox', { name: 'Key' }).fill('0011')
    await give.getByRole('button', { name: 'Send the key' }).click()
    await expect(give).toContainText('An AES key has 16, 24 or 32 bytes')
    await give.getByRole('textbox', { name: 'Key' }).fill('C3'.repeat(16))
    if (index === 0) await expectAccessible(page, 'dialog')
    await give.getByRole('button', { name: 'Send the key' }).click()
    await expect(give).toBeHidden()
  }
  await expect(keys.getByRole('listitem').filter({ hasText: 'In use' })).toHaveCount(2)
  await expectAccessible(page)

  await newApplet(page)
  await choose(page, cplc)
  await page.getByText('In the name of another security domain').click()
  const domain = page.getByRole('combobox', { name: 'Security domain' })
  await domain.fill('A0')
  await expect(page.getByText('Correct the fields above first.')).toBeVisible()
  await domain.fill(delegate)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Install', exact: true }).click()
  const done = page.getByRole('region', { name: 'What was done' })
  await expect(done).toContainText('Waiting for approval')
  await expect(done).toContainText(`In the name of the security domain ${delegate}`)
  await approve(account, baseURL ?? '', page.url().split('/').at(-1) ?? '')
  await expect(done.getByText(/^The card’s receipt \d+ for \w+ is valid\.$/)).toHaveCount(2)
  await expect(done).toContainText('Succeeded')
})

test('a domain removes an applet with tokens from a file made by the card’s owner @long', async ({
  page,
  account,
  baseURL,
}) => {
  const cplc = await cardOfDelegate(account)
  await giveKeys(account, cplc)
  await newApplet(page)
  await page.waitForURL(/applets\/[\da-f-]{36}/)
  const applet = page.url()
  const id = applet.split('/').at(-1) ?? ''
  await account.call(`/api/maple/applets/${id}/operation`, {
    method: 'POST',
    body: { kind: 'install', elements: [cplc], domain: delegate },
  })
  await approve(account, baseURL ?? '', id)
  await page.reload()
  const done = page.getByRole('region', { name: 'What was done' })
  await expect(done).toContainText('Succeeded', { timeout: 20_000 })
  const keys = page.getByRole('region', { name: 'Keys for tokens, receipts and DAP' })
  const domain = page.getByRole('combobox', { name: 'Security domain' })
  await choose(page, cplc)
  await page.getByText('In the name of another security domain').click()
  await domain.fill(delegate)

  await page.getByRole('combobox', { name: 'What to do' }).selectOption('Uninstall')
  await page.getByRole('button', { name: 'Check first' }).click()
  const commands = await saved(page, page.getByRole('button', { name: 'Save the commands' }))
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  await keys.getByRole('button', { name: 'Sign commands…' }).click()
  const sign = page.getByRole('dialog', { name: 'Sign commands for this card?' })
  await sign.getByRole('textbox', { name: 'Commands' }).fill('hello')
  await sign.getByRole('button', { name: 'Request the tokens' }).click()
  await expect(sign).toContainText('Enter commands in hex')
  await sign.locator('input[type=file]').setInputFiles(commands)
  await expectAccessible(page, 'dialog')
  await sign.getByRole('button', { name: 'Request the tokens' }).click()
  const request = keys.getByRole('listitem').filter({ hasText: 'Tokens for 2 commands' })
  await expect(request).toContainText('Waiting')
  await expect(page.getByRole('main')).toContainText('Signing commands with the card’s key')
  await approve(account, baseURL ?? '', cplc)
  const tokens = await saved(page, request.getByRole('button', { name: 'Save the tokens' }))
  expect(JSON.parse(await readFile(tokens, 'utf8'))).toMatchObject({ format: 'grove-tokens', cplc })

  await page.goto(applet)
  await choose(page, cplc)
  await page.getByRole('combobox', { name: 'What to do' }).selectOption('Uninstall')
  // The typed text is still there.
  await expect(domain).toHaveValue(delegate)
  const file = page.locator('details input[type=file]')
  await file.setInputFiles(commands)
  await expect(page.getByRole('alert')).toContainText('no tokens that Grove can read')
  await file.setInputFiles(tokens)
  await expect(page.getByText('Tokens: 2')).toBeVisible()
  await page.getByRole('button', { name: 'Uninstall', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Uninstall' }).click()
  await expect(done.getByText('Uninstall', { exact: true }).first()).toBeVisible()
  await expect(done.getByText(/^The card’s receipt \d+ for \w+ is valid\.$/)).toHaveCount(2)
})

test.describe('on a phone, dark, in Russian', () => {
  test.use({ viewport: phone, colorScheme: 'dark', locale: 'ru-RU' })

  test('approvers see what Grove would sign @long', async ({ page, account }) => {
    const cplc = await cardOfDelegate(account)
    const body = { cplc, purpose: 'token', kind: 'EC' }
    await account.call('/api/maple/se/keys/purpose', { method: 'POST', body })
    await inRussian(page)
    await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
    const keys = page.getByRole('region', { name: 'Ключи для токенов, квитанций и DAP' })
    await expect(keys).toContainText('Используется')
    await expectNoOverflow(page)
    await expectAccessible(page)
    const command = `80E40000094F07A00000000101FF`
    const request = await account.call<{ approval: Approval }>('/api/maple/se/tokens', {
      method: 'POST',
      body: { cplc, commands: [command] },
    })
    await page.goto(`/dashboard/maple/approvals?request=${request.approval.id}`)
    await expect(page.locator('[data-panel]')).toContainText(command)
    await expectNoOverflow(page)
    await expectAccessible(page)
  })
})
