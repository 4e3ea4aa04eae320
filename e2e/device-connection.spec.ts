import { randomUUID } from 'node:crypto'
import { DeviceRefused, runAgent } from '../packages/device-agent/src/agent.ts'
import { softwareElements } from '../packages/device-agent/src/software-elements.ts'
import { openOutbox } from '../packages/device-agent/src/outbox.ts'
import { signedIn, testAs } from './support/account.ts'
import { devicePage } from './support/device-page.ts'
import { devicePanel } from './support/devices-page.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

test('a device gets a secret on its page, connects with it, and loses it', async ({
  page,
  baseURL,
}) => {
  const id = `pump-${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/devices?create=true')
  const form = devicePanel(page)
  await form.name.fill(id)
  await form.id.fill(id)
  await form.state('Accepted').check()
  await form.register()
  await expect(form.title).toHaveText(id)
  await page.goto(`/dashboard/maple/devices/${id}`)
  const { openPart, connection, secrets, messages } = devicePage(page)
  await expect(connection).toContainText('Never connected')
  await openPart('Elements and security')
  await secrets.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('button', { name: 'Create a secret', exact: true }).click()
  const shown = page.getByRole('dialog', { name: /^Secret of/ })
  const secret = await shown.getByText(/^[\w-]{43}$/).textContent()
  await shown.getByRole('button', { name: 'I have copied it' }).click()
  await expect(secrets.getByRole('button', { name: 'New secret…' })).toBeFocused()
  await openPart('Messages')

  const outbox = openOutbox('1')
  outbox.add('telemetry', { temperature: 21.5 }, Date.now())
  const stop = new AbortController()
  const agent = runAgent({
    platform: baseURL ?? '',
    secret: secret ?? '',
    outbox,
    elements: () => [],
    firmware: '2.0.1',
    say: () => {},
    signal: stop.signal,
  })
  const ended = agent.ended.then(
    () => undefined,
    (error: unknown) => error,
  )
  await expect(messages).toContainText('21.5')
  await expectAccessible(page)
  await openPart('Overview')
  await expect(connection.getByText('Connected', { exact: true })).toBeVisible()
  await expect(connection).toContainText('2.0.1')
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await openPart('Elements and security')
  await expectNoOverflow(page)
  await secrets.getByRole('button', { name: 'Revoke…' }).click()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  // The device is told at once, retries, and is refused.
  expect(await ended).toBeInstanceOf(DeviceRefused)
  await expect(secrets).toContainText('The device has no secret yet')
  await openPart('Overview')
  await expect(connection).toContainText('Not connected')
})

test('the pages of a device and its element say which elements it offers, and attach one that is new @long', async ({
  page,
  baseURL,
}) => {
  const id = `kiosk-${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/devices?create=true')
  const form = devicePanel(page)
  await form.name.fill(id)
  await form.id.fill(id)
  await form.state('Accepted').check()
  await form.register()
  await expect(form.title).toHaveText(id)
  await page.goto(`/dashboard/maple/devices/${id}?tab=security`)
  await page.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('button', { name: 'Create a secret', exact: true }).click()
  const shown = page.getByRole('dialog', { name: /^Secret of/ })
  const secret = await shown.getByText(/^[\w-]{43}$/).textContent()
  await shown.getByRole('button', { name: 'I have copied it' }).click()

  let { elements } = softwareElements(id, 1)
  const [element] = elements
  const cplc = element?.cplc ?? ''
  const stop = new AbortController()
  const agent = runAgent({
    platform: baseURL ?? '',
    secret: secret ?? '',
    outbox: openOutbox('1'),
    elements: () => elements,
    firmware: '1.0.0',
    say: () => {},
    signal: stop.signal,
  })
  const facts = devicePage(page).elements
  await expect(facts).toContainText('offers an element that is not attached to it')
  await expectAccessible(page)
  await facts.getByRole('button', { name: 'Attach…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Attach' }).click()
  await expect(facts.getByText('Reachable', { exact: true })).toBeVisible()
  await expect(facts.getByRole('button', { name: 'Attach…' })).toBeHidden()

  // The card is removed from its reader and inserted again.
  elements = []
  agent.announce()
  await expect(facts.getByText('Not reachable')).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.goto(`/dashboard/maple/secure_elements/${cplc}`)
  const about = page.getByRole('complementary')
  await expect(about.getByText('Not reachable')).toBeVisible()
  elements = element ? [element] : []
  agent.announce()
  await expect(about.getByText('Reachable', { exact: true })).toBeVisible()
  stop.abort()
  await agent.ended
  await expect(about.getByText('Not connected')).toBeVisible()
})
