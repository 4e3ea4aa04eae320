import { randomUUID } from 'node:crypto'
import { mergeTests } from '@playwright/test'
import { runAgent } from '../packages/device-agent/src/agent.ts'
import { openOutbox } from '../packages/device-agent/src/outbox.ts'
import { signedIn, testAs } from './support/account.ts'
import { answer, expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { test as withReceiver } from './support/receiver.ts'
import { expect, sample } from './support/test.ts'

const test = mergeTests(
  testAs((url) => signedIn(url, sample.admin)),
  withReceiver,
)

test('a handler is tried, deployed, calls a receiver for a device, fails and is sent again', async ({
  page,
  account,
  baseURL,
  receiver,
}) => {
  const name = `Relay ${randomUUID().slice(0, 8)}`
  await page.goto('/dashboard/maple/cloud_handlers?create=true')
  const panel = page.locator('[data-panel]')
  await panel.getByRole('textbox', { name: 'Name' }).fill(name)
  await expect(panel.getByRole('checkbox', { name: 'A device came online' })).toBeChecked()
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Draft')

  const draft = page.getByRole('region', { name: 'Draft' })
  const editor = draft.getByRole('textbox', { name: 'Code' })
  const write = async (code: string) => {
    await editor.focus()
    await page.keyboard.press('ControlOrMeta+a')
    // When text replaces a comment, the browser would add a style attribute, which the policy
    // refuses.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(code)
  }
  await write('log(1)\nlet a = = 2')
  await expect(draft.getByText(/^Line 2: SyntaxError/)).toBeVisible()
  await write(`
    const answer = fetch('http://127.0.0.1:${receiver.port}/in', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + secret('key'), 'idempotency-key': event.id },
      body: event,
    })
    log('answered', answer.status)
    if (!answer.ok) throw new Error('The receiver answered ' + answer.status)`)
  await expect(draft.getByText(/SyntaxError/)).toBeHidden()
  await draft.getByRole('textbox', { name: 'Allowed hosts' }).fill('127.0.0.1')
  await draft.getByText('Limits').click()
  await draft.getByRole('textbox', { name: 'Attempts of a delivery' }).fill('1')
  await draft.getByRole('button', { name: 'Save the draft' }).click()
  await expect(draft.getByText('Saved', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Test the draft' }).click()
  const run = page.getByRole('region', { name: /^Run:/ })
  await expect(run).toContainText('The program has no secret key.')
  await page.getByRole('button', { name: 'Add a secret' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('key')
  await dialog.getByLabel('Value').fill('hunter2-hunter2')
  await dialog.getByRole('button', { name: 'Save the secret' }).click()
  await expect(page.getByRole('region', { name: 'Secrets' })).toContainText('key')
  await run.getByRole('button', { name: 'Test the draft with it' }).click()
  await expect(run.getByRole('list', { name: 'Log' })).toContainText('answered 200')
  await expect(run).toContainText('Succeeded')
  expect(receiver.requests.at(-1)?.headers.authorization).toBe('Bearer hunter2-hunter2')

  await page.getByRole('button', { name: 'Publish…' }).click()
  await answer(page, 'Publish')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Active')
  await expect(page.getByRole('region', { name: 'Versions' })).toContainText('Version 1')

  await page.getByRole('button', { name: 'Compare' }).click()
  const comparison = page.getByRole('dialog')
  await expect(comparison).toContainText('They are the same.')
  await page.keyboard.press('Escape')

  receiver.status = 503
  const id = `pump-${randomUUID().slice(0, 8)}`
  await account.call('/api/maple/device', {
    method: 'POST',
    body: { id, name: id, type: 'iot', state: 'accepted' },
  })
  const { secret } = await account.call<{ secret: string }>('/api/maple/device/credential', {
    method: 'POST',
    body: { deviceId: id },
  })
  const stop = new AbortController()
  const agent = runAgent({
    platform: baseURL ?? '',
    secret,
    outbox: openOutbox('1'),
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: stop.signal,
  })
  const runs = page.getByRole('list', { name: 'Runs' })
  await expect(runs.getByRole('link', { name: 'device.online', exact: true })).toBeVisible()
  await expect(runs).toContainText('The receiver answered 503')
  await runs.getByRole('link', { name: 'device.online', exact: true }).first().click()
  await run.getByText('Event', { exact: true }).click()
  await expect(run).toContainText(id)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)

  receiver.status = 200
  await run.getByRole('button', { name: 'Resend' }).click()
  await expect(run).toContainText('Succeeded')
  const deliveries = receiver.requests.filter(({ body }) => body.includes(id))
  expect(deliveries).toHaveLength(2)
  expect(new Set(deliveries.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  stop.abort()
  await agent.ended.catch(() => {})
})
