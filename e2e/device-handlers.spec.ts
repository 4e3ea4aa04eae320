import { randomUUID } from 'node:crypto'
import { runAgent } from '../packages/device-agent/src/agent.ts'
import { claim, newIdentity } from '../packages/device-agent/src/identity.ts'
import { openOutbox } from '../packages/device-agent/src/outbox.ts'
import { newDeveloper, testAs } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { openStage } from './support/stage.ts'
import { expect } from './support/test.ts'

const test = testAs((url) => newDeveloper(url))

const unique = () => randomUUID().slice(0, 8)

const decodes = (scale: number) => `function decode({ bytes }) {
  if (bytes.length < 2) throw new Error('A measurement has two bytes')
  return { telemetry: { temperature: (bytes[0] * 256 + bytes[1]) / ${scale} } }
}`

test('a MapleDeveloper writes, tests and publishes a device handler, which decodes its devices’ data @long', async ({
  page,
  account,
  baseURL,
}) => {
  test.setTimeout(180_000)
  const platform = baseURL ?? ''
  const inStage = await openStage(account, platform)
  const product = `Sensor ${unique()}`
  const { id: productId } = await inStage<{ id: string }>('/api/maple/products', { name: product })
  const { code } = await inStage<{ code: string }>('/api/maple/device/claim_code', {
    name: 'Batch 1',
    type: 'iot',
    state: 'accepted',
    productId,
  })

  const name = `Thermometer ${unique()}`
  await page.goto('/dashboard/maple/device_handlers')
  await expect(page.getByText('Write your first device handler')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New device handler' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name)

  const editor = page.getByRole('textbox', { name: 'Code of the device handler' })
  const write = async (text: string) => {
    await editor.focus()
    await page.keyboard.press('ControlOrMeta+a')
    // When text replaces a comment, the browser would add a style attribute, which the policy
    // refuses.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
  }
  const draft = page.getByRole('region', { name: 'Draft' })
  await expect(editor).toContainText('function decode')
  await write('function decode() {\n  return = 1\n}')
  await expect(draft.getByText(/^Line 2: SyntaxError/)).toBeVisible()
  await write(decodes(10))
  await expect(draft.getByText(/SyntaxError/)).toBeHidden()

  const trying = page.getByRole('region', { name: 'Try it' })
  const result = trying.getByRole('status', { name: 'Result' })
  const payload = trying.getByRole('textbox', { name: 'Payload' })
  await payload.fill('not hex!')
  await expect(trying).toContainText('This is neither hex nor base64.')
  await payload.fill('01')
  await expect(result).toHaveText('Line 2: A measurement has two bytes')
  await payload.fill('00 D7')
  await expect(result).toContainText('"temperature": 21.5')
  // From here to the saved draft with the keyboard only.
  await tabTo(page, trying.getByRole('button', { name: 'Save as a test…' }))
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name of the test' }).fill('A warm room')
  await page.keyboard.press('Enter')
  const tests = page.getByRole('region', { name: 'Golden tests' })
  await expect(tests.getByRole('listitem')).toContainText('A warm room')
  await expect(tests.getByRole('listitem')).toContainText('Passes')
  const publish = page.getByRole('button', { name: 'Publish…' })
  await expect(publish).toHaveAttribute('aria-disabled', 'true')
  await editor.focus()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expectAccessible(page)

  const publishAs = async (note: string) => {
    await publish.click()
    await page.getByRole('textbox', { name: 'What changed (optional)' }).fill(note)
    await page.keyboard.press('Enter')
  }
  const versions = page.getByRole('region', { name: 'Versions' })
  await publishAs('Tenths')
  await expect(versions.getByRole('listitem')).toContainText(['Version 1'])

  // A version with a failing test is refused until the test expects its new result.
  await write(decodes(100))
  await expect(tests.getByRole('listitem')).toContainText('Fails')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await publishAs('Hundredths')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await answer(page, 'Leave')
  await tests.getByRole('button', { name: 'Expect this result' }).click()
  await expect(tests.getByRole('listitem')).toContainText('Passes')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await publishAs('Hundredths')
  await expect(versions.getByRole('listitem')).toContainText(['Version 2', 'Version 1'])

  const panel = page.locator('[data-panel]')
  await page.goto(`/dashboard/maple/products?product=${productId}`)
  await panel.getByRole('button', { name: 'Edit' }).click()
  await panel.getByRole('combobox', { name: 'Device handler' }).selectOption({ label: name })
  await panel.getByRole('button', { name: 'Save', exact: true }).click()
  await panel.getByRole('link', { name }).click()
  await expect(page.getByRole('region', { name: 'Products' })).toContainText(product)

  const identity = newIdentity(`sensor-${unique()}`)
  await claim(platform, identity, { code })
  const outbox = openOutbox('1')
  const stop = new AbortController()
  let welcome = () => {}
  const welcomed = new Promise<void>((resolve) => (welcome = resolve))
  const agent = runAgent({
    platform,
    secret: identity.secret,
    outbox,
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: stop.signal,
    onWelcome: welcome,
  })
  await welcomed
  const send = (hex: string) => {
    outbox.add('bytes', Buffer.from(hex, 'hex').toString('base64'), Date.now())
    agent.flush()
  }
  send('00D7')
  await page.goto('/dashboard/maple/sessions/device')
  await page.getByRole('row', { name: identity.id }).getByRole('link').first().click()
  const options = page.getByRole('listbox', { name: 'Messages' }).getByRole('option')
  await expect(options.first()).toContainText('{"telemetry":{"temperature":2.15}}')
  await options.first().click()
  await expect(page.getByRole('complementary', { name: /^Message/ })).toContainText(
    'Decoded by version 2',
  )
  const log = page.url()

  // A message that the device sent is tried again; then back to the first version, on a phone.
  await page.goto('/dashboard/maple/device_handlers')
  await page.getByRole('link', { name }).click()
  await trying.getByRole('textbox', { name: /^Recent message of a device/ }).fill(identity.id)
  await trying.getByRole('button', { name: '00 D7' }).click()
  await expect(payload).toHaveValue('00D7')
  await expect(result).toContainText('"temperature": 2.15')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await expectAccessible(page)
  await versions.getByRole('button', { name: 'Roll back…' }).click()
  await answer(page, 'Roll back')
  await expect(versions.getByRole('listitem').first()).toContainText('as version 1')
  await page.goto(log)
  send('00D7')
  send('05')
  await expect(options.nth(1)).toContainText('{"telemetry":{"temperature":21.5}}')
  await expect(options.nth(2)).toContainText('A measurement has two bytes')
  await expect(options.first()).toContainText('{"telemetry":{"temperature":2.15}}')
  await options.nth(2).click()
  await expect(page.getByRole('complementary', { name: /^Message/ })).toContainText(
    'Line 2 of version 3',
  )
  await expectAccessible(page)
  stop.abort()
  await agent.ended
})
