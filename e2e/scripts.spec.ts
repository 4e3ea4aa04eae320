import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const serialOf = (cplc: string) => cplc.slice(24, 32)

async function write(page: Page, code: string) {
  await page.getByRole('textbox', { name: 'Code of the script' }).focus()
  await page.keyboard.press('ControlOrMeta+a')
  // When text replaces a comment, the browser would add a style attribute, which the policy refuses.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(code)
}

async function addElement(page: Page, cplc: string) {
  await page.getByRole('button', { name: 'Add an element' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(serialOf(cplc))
  await page.getByRole('option', { name: serialOf(cplc) }).click()
}

test('an admin writes a script, sees which line fails, corrects it, publishes it and rolls it back', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `script ${randomUUID().slice(0, 8)}`, kind: 'scp03' },
  })
  const name = `Identify ${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/scripts?create=true')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Start from').selectOption({ label: 'Read the CPLC' })
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)

  const editor = page.getByRole('textbox', { name: 'Code of the script' })
  await expect(editor).toContainText('MplGetData')
  await addElement(page, cplc)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const log = page.getByLabel('Log of the run')
  await expect(log).toContainText(`CPLC ${cplc}`)
  await expectAccessible(page)

  // A syntax error is marked while typing; a runtime error where it happened.
  await write(page, 'log(1)\nlet a = = 2')
  await expect(page.getByText(/^Line 2: SyntaxError/)).toBeVisible()
  await write(page, "se.select('A0000000000000')\nassertSW(0x9000)")
  await page.getByRole('button', { name: 'Save and run' }).click()
  const failed = 'Line 2: StatusError: SELECT answered 6A82 (notFound), not 9000'
  await expect(page.getByText(failed).first()).toBeVisible()
  await write(page, "se.select()\nassertSW(0x9000)\nlog('Ready')")
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Repeat with the draft' }).click()
  await expect(log).toContainText('Ready')

  const publish = async (note: string) => {
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByLabel('What changed (optional)').fill(note)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
  }
  await publish('Selects the card')
  const versions = page.getByRole('region', { name: 'Versions' })
  await expect(versions).toContainText('Version 1')
  await write(page, "log('Another')")
  await page.keyboard.press('ControlOrMeta+s')
  await publish('Says something else')
  await expect(versions).toContainText('Version 2')
  await versions
    .getByRole('listitem')
    .filter({ hasText: 'Selects the card' })
    .getByRole('button', { name: 'Compare' })
    .click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Another')
  await expect(dialog).toContainText('Ready')
  await page.keyboard.press('Escape')
  await versions.getByRole('button', { name: 'Roll back…' }).click()
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await expect(versions).toContainText('as version 1')

  await page.getByRole('link', { name: 'Open the session' }).click()
  await expect(page.getByRole('listbox', { name: 'Exchanges' })).toContainText('SELECT')
})

test('a script asks the person who runs it, stores a secret, and is stepped through with the keyboard @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `asked ${randomUUID().slice(0, 8)}`, kind: 'scp03' },
  })
  const { id } = await account.call<{ id: string }>('/api/maple/scripts', {
    method: 'POST',
    body: {
      name: `Personalize ${randomUUID().slice(0, 8)}`,
      draft: `const name = prompt('Who holds the card?')
se.select()
se.open({ level: '33' })
se.send({ kind: 'MplStoreData', data: '4204' + secret('number'), format: 'tlv' })
assertSW(0x9000)
log('Stored for', name)`,
    },
  })
  await page.goto(`/dashboard/maple/scripts/${id}`)
  await page.getByRole('button', { name: 'Add a secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('number')
  await dialog.getByLabel('Value').fill('12')
  await dialog.getByRole('button', { name: 'Save the secret' }).click()
  await expect(dialog).toContainText('Enter four bytes or more in hex')
  await dialog.getByLabel('Value').fill('31323334')
  await dialog.getByRole('button', { name: 'Save the secret' }).click()
  await expect(page.getByRole('region', { name: 'Secrets' })).toContainText('number')

  await addElement(page, cplc)
  await page.getByRole('button', { name: 'Step through' }).click()
  const question = page.getByRole('form', { name: 'The script asks' })
  await question.getByRole('textbox', { name: 'Who holds the card?' }).fill('Ada')
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  const step = page.getByRole('form', { name: 'Next command' })
  await expect(step).toContainText('se.select()')
  await step.getByRole('button', { name: 'Next', exact: true }).press('Enter')
  await expect(step).toContainText('se.open({"level":"33"})')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await step.getByRole('button', { name: 'Next', exact: true }).press('Enter')
  await expect(step).toContainText('[secret number]')
  await step.getByRole('button', { name: 'Run to the end' }).press('Enter')
  await expect(page.getByLabel('Log of the run')).toContainText('Stored for Ada')
})

test('a part of the page that failed to load says so, and loads again @long', async ({
  page,
  account,
}) => {
  const { id } = await account.call<{ id: string }>('/api/maple/scripts', {
    method: 'POST',
    body: { name: `Parts ${randomUUID().slice(0, 8)}` },
  })
  await page.route('**/api/maple/scripts/*/version?*', (route) => route.fulfill({ status: 403 }))
  await page.goto(`/dashboard/maple/scripts/${id}`)
  const versions = page.getByRole('region', { name: 'Versions' })
  await expect(versions.getByRole('alert')).toBeVisible()
  await expectAccessible(page)
  await page.unrouteAll()
  await versions.getByRole('button', { name: 'Try again' }).click()
  await expect(versions).toContainText('Nothing is published yet')
})

test('a refused save runs nothing later, and a draft saved elsewhere raises a question @long', async ({
  page,
  account,
}) => {
  const { id: cplc } = await account.call<SoftwareCard>('/api/maple/software_cards', {
    method: 'POST',
    body: { name: `clash ${randomUUID().slice(0, 8)}`, kind: 'scp03' },
  })
  const path = '/api/maple/scripts'
  const { id } = await account.call<{ id: string }>(path, {
    method: 'POST',
    body: { name: `Clash ${randomUUID().slice(0, 8)}`, draft: "log('first')" },
  })
  await page.goto(`/dashboard/maple/scripts/${id}`)
  await write(page, "log('mine')")
  await addElement(page, cplc)
  const broken = `**${path}/${id}`
  await page.route(broken, (route) => route.fulfill({ status: 500 }))
  await page.getByRole('button', { name: 'Save and run' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.unroute(broken)

  await account.call(`${path}/${id}`, { method: 'PUT', body: { draft: "log('theirs')" } })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.click()
  const clash = page.getByRole('alert').filter({ hasText: 'Someone else saved' })
  await expect(clash).toContainText("log('theirs')")
  await expect(clash).toContainText("log('mine')")
  await expectAccessible(page)
  await clash.getByRole('radio', { name: 'Yours' }).check()
  await save.click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'What it did' })).toContainText(
    'It has not run yet',
  )
})
