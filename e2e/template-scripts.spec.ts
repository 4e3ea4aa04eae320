import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Template } from '@grove/contract/maple/program/template'
import { signedIn, testAs } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

const key = '404142434445464748494A4B4C4D4E4F'
const aid = 'D0D1D2D3D4D50101'
const script = `# a card of the test
gp --key ${key} -l
gp --key ${key} --install wallet.cap
gp --key ${key} --delete ${aid} -f
gp --lock ${key}
gp --secure-apdu 80AA010203112233
gp --apdu 002000800831323334FFFFFFFF
gp --pace
`

test('a script of gp becomes steps on a phone, line by line and without its keys, and a script again @long', async ({
  page,
  account,
}) => {
  const { id } = await account.call<Template>('/api/maple/templates', {
    method: 'POST',
    body: { name: `scripts ${randomUUID().slice(0, 8)}` },
  })
  await page.setViewportSize(phone)
  await page.goto(`/dashboard/maple/templates/${id}`)
  await page.getByRole('button', { name: 'Import a script…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a script' })
  await dialog.getByRole('textbox').fill(script)
  const preview = dialog.getByRole('region', { name: 'What each line becomes' })
  await expect(preview.getByRole('listitem')).toHaveCount(7)
  await expect(preview).toContainText('in part: 5, 7, 8')
  await expect(preview.getByRole('listitem').nth(0)).toContainText('Get status')
  await expect(preview.getByRole('listitem').nth(1)).toContainText('not chosen yet')
  await expect(preview.getByRole('listitem').nth(2)).toContainText('The channel is open already.')
  await expect(preview.getByRole('listitem').nth(3)).toContainText('a template holds none')
  await expect(preview.getByRole('listitem').nth(4)).toContainText('Raw bytes')
  await expect(preview.getByRole('listitem').nth(5)).toContainText('a PIN or encrypted data')
  await expect(preview.getByRole('listitem').nth(6)).toContainText('--pace')
  await expect(preview).not.toContainText('31323334')
  await expect(preview).not.toContainText(key)
  await expectAccessible(page)
  await expectNoOverflow(page)
  await dialog.getByRole('button', { name: 'Add 5 steps' }).click()

  const steps = page.getByRole('region', { name: 'Steps', exact: true })
  // The CAP file has no applet yet, and the step says so.
  await expect(steps.getByRole('listitem').nth(2)).toContainText('1 error')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect
    .poll(async () => (await account.call<Template>(`/api/maple/templates/${id}`)).steps.length)
    .toBe(5)
  const stored = await account.call<Template>(`/api/maple/templates/${id}`)
  expect(stored.steps.map(({ kind }) => kind)).toEqual([
    'openChannel',
    'MplGetStatus',
    'installApplet',
    'MplDelete',
    'raw',
  ])
  expect(JSON.stringify(stored)).not.toContain(key)

  await page.getByRole('button', { name: 'Export as a script…' }).click()
  const written = page.getByRole('dialog', { name: 'Export as a script' })
  await expect(written).toContainText(`--delete ${aid} --force`)
  await expect(written).toContainText('Step 3: its applet is not chosen')
  await written.getByLabel('Tool').selectOption('gpshell')
  await expect(written).toContainText('open_sc -security 3')
  await expect(written).toContainText('send_apdu -sc 1 -APDU 80AA010203112233')
  await expectAccessible(page)
  await expectNoOverflow(page)
  const download = page.waitForEvent('download')
  await written.getByRole('button', { name: 'Save', exact: true }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^scripts-.*\.txt$/)
  expect(await readFile(await file.path(), 'utf8')).toContain(`delete -AID ${aid}\n`)
})
