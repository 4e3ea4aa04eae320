import { randomUUID } from 'node:crypto'
import type { Locator, Page } from '@playwright/test'
import {
  signedImage,
  signingKey,
} from '../apps/platform/src/services/maple/connect/binary-image/testing/signed-image.ts'
import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { keepSignedIn, newDeveloper, signedIn } from './support/account.ts'
import { agentPrograms } from './support/agents.ts'
import { keyboardOf } from './support/keyboard.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  inRussian,
  phone,
} from './support/page-checks.ts'
import { test as withReceiver } from './support/receiver.ts'
import { expect, sample } from './support/test.ts'

const fleetSize = 40
const firstGroup = 5
/** Programs start, claim, connect and do their work before the page shows it. */
const slow = { timeout: 60_000 }

/** A developer whose provider has no key yet, and the programs of their devices. */
const test = withReceiver.extend<{ programs: Awaited<ReturnType<typeof agentPrograms>> }>({
  // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
  programs: async ({}, use) => {
    const programs = await agentPrograms()
    await use(programs)
    await programs.stop()
  },
})

async function comeIn(page: Page, url: string, profile = { name: 'Newcomer', locale: 'en-US' }) {
  const [admin, developer] = [await signedIn(url, sample.admin), await newDeveloper(url)]
  const { user_id: ownerId } = await developer.call<{ user_id: string }>('/api/user/info')
  const name = `Works ${randomUUID().slice(0, 8)}`
  await admin.call<AdminProvider>('/api/cedar/provider', {
    method: 'POST',
    body: { name, ownerId },
  })
  await developer.call('/api/user/profile', { method: 'PUT', body: profile })
  await keepSignedIn(page.context(), developer, url)
}

test('a newcomer brings a fleet online, rolls a script out past a fault, calls a webhook and updates firmware @long', async ({
  page,
  baseURL,
  programs,
  receiver,
}) => {
  test.setTimeout(420_000)
  const url = baseURL ?? ''
  await comeIn(page, url)
  const keys = keyboardOf(page)
  const panel = page.locator('[data-panel]')
  const dialog = page.getByRole('dialog')
  const heading = page.getByRole('heading', { level: 1 })
  const sound = async () => {
    await expectNoOverflow(page)
    await expectAccessible(page)
  }
  const write = async (editor: Locator, code: string) => {
    await editor.focus()
    await page.keyboard.press('ControlOrMeta+a')
    // When text replaces a comment, the browser would add a style attribute, which the policy
    // refuses.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(code)
  }
  const open = (name: string) =>
    page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name }).click()

  await page.goto('/dashboard/maple/products')
  await page.getByRole('link', { name: 'Go to the API keys' }).click()
  // The key exists before the list of providers shows it.
  await page.route('**/api/provider', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    await route.continue()
  })
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Bench')
  await page.getByRole('button', { name: 'All', exact: true }).click()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()

  // A product, created with the keyboard only.
  const product = `Gate ${randomUUID().slice(0, 8)}`
  const menu = page.getByRole('navigation', { name: 'Main menu' })
  await keys.back(menu.getByRole('link', { name: 'Products', exact: true }))
  await page.keyboard.press('Enter')
  await keys.press(page.getByRole('button', { name: 'New product' }).first())
  await keys.write(page.getByRole('textbox', { name: 'Name', exact: true }), product)
  await keys.press(panel.getByRole('button', { name: 'Create', exact: true }))
  await expect(heading).toContainText(product)
  await sound()
  const productPage = page.url()
  const codes = page.getByRole('region', { name: 'Claim codes' })
  const makeCode = async (name: string, count: number) => {
    await keys.start(codes.getByRole('button', { name: 'New claim code…' }))
    await page.keyboard.press('Enter')
    await keys.write(dialog.getByRole('textbox', { name: 'Name' }), name)
    await keys.write(dialog.getByRole('textbox', { name: 'Devices' }), String(count))
    await keys.select(
      dialog.getByRole('combobox', { name: 'Devices that connect with it' }),
      'Accepted immediately',
    )
    await keys.press(dialog.getByRole('button', { name: 'Create', exact: true }))
    const shown = codes.getByRole('region', { name: `Claim code “${name}”` })
    return (await shown.getByText(/^npx --yes /).textContent()) ?? ''
  }

  // The command shown on the page, and the device that it starts, which appears as it connects.
  const prefix = `gate-${randomUUID().slice(0, 8)}`
  const command = await makeCode('Batch 1', fleetSize)
  await sound()
  programs.run(command, '--prefix', prefix)
  await expect(codes.getByRole('list', { name: 'Claim codes' })).toContainText(
    `${fleetSize} of ${fleetSize} used`,
    slow,
  )
  const states = page.getByRole('list', { name: 'Devices by state' })
  await expect(states).toContainText(new RegExp(`^${fleetSize}Online$`), slow)
  await expect(page.getByRole('list', { name: 'Newest devices' })).toContainText(prefix)
  await sound()

  // A script: it fails with its line number, is corrected and published.
  await open('scripts')
  await page.getByRole('button', { name: 'New script' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Select the card')
  await page.getByLabel('Start from').selectOption({ label: 'Start from scratch' })
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const editor = page.getByRole('textbox', { name: 'Code of the script' })
  await write(editor, "se.select()\nassertSW(0x9000)\nlog('Ready')")
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await sound()
  const script = page.url()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Versions' })).toContainText('Version 1')

  // Rolled out in two groups, the second one started manually.
  await page.getByRole('button', { name: 'Roll out…' }).click()
  const form = page.getByRole('dialog', { name: 'New rollout' })
  await form.getByLabel('Name', { exact: true }).fill('Select every card')
  await expect(form).toContainText('Select the card')
  await form.getByRole('button', { name: 'Next: Where' }).click()
  await form.getByRole('button', { name: /^Product/ }).click()
  await page.getByRole('option', { name: product }).click()
  await expect(form).toContainText(`${fleetSize} devices now.`)
  await form.getByRole('button', { name: 'Next: Groups' }).click()
  const first = form.getByRole('group', { name: 'Group 1', exact: true })
  await first.getByLabel('Size').selectOption({ label: 'A number of devices' })
  await first.getByLabel('Devices', { exact: true }).fill(String(firstGroup))
  await first.getByText('The next group is started by hand').click()
  await form.getByRole('button', { name: 'Remove Group 2' }).click()
  const second = form.getByRole('group', { name: 'Group 2', exact: true })
  await second.getByText('Pauses above').click()
  await second.getByLabel('Also at this many failures').fill('1')
  await sound()
  await form.getByRole('button', { name: 'Save the draft' }).click()
  await expect(heading).toContainText('Draft')
  const rollout = page.url()
  await page.getByRole('button', { name: /^Start/ }).click()
  await answer(page, 'Start')
  const groups = page.getByRole('region', { name: 'Groups' }).getByRole('listitem')
  await expect(page.getByRole('status').filter({ hasText: 'by hand' })).toBeVisible()
  await expect(groups.nth(0)).toContainText(`${firstGroup} succeeded`)

  // A device of the second group fails: its state is set on its page.
  await groups.nth(1).getByRole('link', { name: 'Devices of Group 2' }).click()
  const devices = page.getByRole('region', { name: 'Devices', exact: true })
  await expect(devices.getByRole('listitem').filter({ hasText: 'Group 1' })).toHaveCount(0)
  const broken = devices.getByRole('link').filter({ hasText: prefix }).first()
  const name = (await broken.textContent()) ?? ''
  await broken.click()
  await expect(heading).toContainText(name)
  const device = page.url()
  const ask = async (what: string, data: string) => {
    const part = page.getByRole('region', { name: 'Commands' })
    await keys.start(part.getByRole('combobox', { name: 'Command' }))
    await page.keyboard.insertText(what)
    await keys.write(part.getByRole('textbox', { name: 'Data as JSON' }), data)
    await keys.press(part.getByRole('button', { name: 'Send' }))
    await expect(part.getByRole('listitem').first()).toContainText(what)
    await expect(part.getByRole('listitem').first()).toContainText('Succeeded')
  }
  await ask('break', '{"instruction": "A4", "statusWord": "6F00"}')
  await sound()

  // The rollout pauses and says why; the device is repaired, and the rollout reaches all devices.
  await page.goto(rollout)
  await page.getByRole('button', { name: 'Next group…' }).click()
  await answer(page, 'Start the next group')
  await expect(page.getByRole('status').filter({ hasText: 'It paused' })).toBeVisible()
  const causes = page.getByRole('region', { name: 'Why devices failed' })
  await expect(causes).toContainText('SELECT answered 6F00')
  await expect(causes).toContainText('1 device')
  await sound()
  await causes.getByRole('link').first().click()
  await expect(devices.getByRole('listitem')).toHaveCount(1)
  await devices.getByRole('link', { name: /^Session of/ }).click()
  await expect(page.getByRole('listbox', { name: 'Exchanges' })).toContainText('SELECT')
  await page.goto(device)
  await ask('mend', '')
  await page.goto(rollout)
  await page.getByRole('button', { name: 'Resume…' }).click()
  await expect(dialog.getByRole('radio', { name: /^Retry/ })).toBeChecked()
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await expect(heading).toContainText('Finished', slow)
  await expect(groups.nth(1)).toContainText(`${fleetSize - firstGroup} succeeded`)
  await sound()

  // A handler calls a webhook when a device comes online, and its page shows the run.
  await open('cloud handlers')
  await page.getByRole('button', { name: 'New cloud handler' }).first().click()
  await panel.getByRole('textbox', { name: 'Name' }).fill('Greeter')
  await expect(panel.getByRole('checkbox', { name: 'A device came online' })).toBeChecked()
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  const draft = page.getByRole('region', { name: 'Draft' })
  await write(
    draft.getByRole('textbox', { name: 'Code' }),
    `const answer = fetch('http://127.0.0.1:${receiver.port}/online', { method: 'POST', body: event })
log('answered', answer.status)`,
  )
  await draft.getByRole('textbox', { name: 'Allowed hosts' }).fill('127.0.0.1')
  await draft.getByRole('button', { name: 'Save the draft' }).click()
  await expect(draft.getByText('Saved', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await answer(page, 'Publish')
  await expect(heading).toContainText('Active')
  await sound()
  const handler = page.url()

  // The device that comes online now also has a program that installs firmware.
  await page.goto(productPage)
  const one = await makeCode('Bench', 1)
  const id = `${prefix}-bench`
  programs.run(one, '--id', id, ...(await programs.firmware('1.0.0')))
  await expect(states).toContainText(`${fleetSize + 1}Online`, slow)
  await page.goto(handler)
  const runs = page.getByRole('list', { name: 'Runs' })
  await runs.getByRole('link', { name: 'device.online', exact: true }).first().click()
  const run = page.getByRole('region', { name: /^Run:/ })
  await expect(run.getByRole('list', { name: 'Log' })).toContainText('answered 200')
  expect(
    receiver.requests.map(({ body }) => body).filter((body) => body.includes(id)),
  ).toHaveLength(1)
  await sound()

  // Firmware: the key, the image, its verification and its release; then the device gets it.
  const key = signingKey('ecdsa-p256')
  const image = signedImage({ version: [2, 0, 1], program: Buffer.from(product) }, key)
  await open('binary images')
  await page.getByRole('button', { name: 'Signing keys' }).first().click()
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Release key')
  await dialog.getByRole('textbox', { name: 'Public key in PEM' }).fill(key.pem)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'New image' }).first().click()
  await page.getByTestId('chosen-file').setInputFiles({
    name: 'gate.signed.bin',
    mimeType: 'application/octet-stream',
    buffer: image,
  })
  await panel.getByRole('button', { name: 'Upload', exact: true }).click()
  await panel.getByRole('button', { name: 'Verify' }).click()
  await expect(panel).toContainText('Release key (ECDSA P-256)')
  await panel.getByRole('button', { name: 'Release…' }).click()
  await answer(page, 'Release')
  await expect(panel).toContainText('Released')
  await sound()
  const imageId = new URL(page.url()).searchParams.get('image') ?? ''
  await panel.getByRole('button', { name: 'Roll out…' }).click()
  await form.getByLabel('Name', { exact: true }).fill('Firmware 2.0.1')
  await form.getByRole('button', { name: /^Product/ }).click()
  await page.getByRole('option', { name: product }).click()
  await expect(form.getByRole('button', { name: /^Binary image/ })).toContainText('2.0.1')
  await form.getByRole('button', { name: 'Next: Where' }).click()
  await expect(form).toContainText(`${fleetSize + 1} devices now.`)
  await sound()
  await form.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('button', { name: /^Start/ }).click()
  await answer(page, 'Start')
  await expect(heading).toContainText('Finished', slow)
  const update = page.url()
  await page.goto(`/dashboard/maple/devices/${id}`)
  await expect(page.getByRole('region', { name: 'Connection' })).toContainText('2.0.1')
  await sound()

  // The same page in Russian, in dark mode, on a phone.
  await page.setViewportSize(phone)
  await page.emulateMedia({ colorScheme: 'dark' })
  await inRussian(page)
  const read = [
    [productPage, 'Коды привязки'],
    [rollout, 'Завершено'],
    [update, 'Завершено'],
    [script, 'Версии'],
    [handler, 'Активен'],
    [`/dashboard/maple/binary_images?image=${imageId}`, 'Выпущен'],
    [`/dashboard/maple/devices/${id}`, 'Подключено'],
  ] as const
  for (const [address, words] of read) {
    await page.goto(address)
    await expect(
      page.getByText(words, { exact: true }).filter({ visible: true }).first(),
    ).toBeVisible()
    await sound()
  }
})
