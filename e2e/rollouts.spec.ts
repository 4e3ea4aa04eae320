import { randomUUID } from 'node:crypto'
import type { Applet } from '@grove/contract/maple/card/applet'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { makeCap } from '../packages/secure-element/src/cap/make-cap.ts'
import { signedIn, testAs, type Account } from './support/account.ts'
import { expectFocus, keyboardOf } from './support/keyboard.ts'
import { expectAccessible, expectNoOverflow, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

/** Devices do their work before the page shows it. */
const slow = { timeout: 30_000 }

const unique = () => randomUUID().slice(0, 8)

/** Creates software cards in devices with a tag. */
async function makeFleet(account: Account, tag: string, size: number) {
  const cards: SoftwareCard[] = []
  for (let count = 0; count < size; count++) {
    const card = await account.call<SoftwareCard>('/api/maple/software_cards', {
      method: 'POST',
      body: { name: `${tag} ${count + 1}`, kind: 'scp03' },
    })
    cards.push(card)
    const { items } = await account.call<{ items: Device[] }>(
      `/api/maple/device?q=${encodeURIComponent(card.name)}`,
    )
    const device = items.find(({ name }) => name === card.name)
    await account.call(`/api/maple/device?id=${device?.id}`, {
      method: 'PUT',
      body: { tags: [tag] },
    })
  }
  return cards
}

const setFaults = (account: Account, { id }: SoftwareCard, faults: object) =>
  account.call(`/api/maple/software_cards?id=${id}`, { method: 'PUT', body: { faults } })

async function uploadApplet(account: Account): Promise<Applet> {
  const id = randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()
  const cap = makeCap({
    name: `example.wave${id.toLowerCase()}`,
    aid: `A0000000${id}`,
    applets: [{ aid: `A0000000${id}01`, name: 'example.wave.Wave' }],
    size: 400,
  })
  const form = new FormData()
  form.set('file', new Blob([Buffer.from(cap)]), 'wave.cap')
  return account.call<Applet>('/api/maple/applets', { method: 'POST', body: form })
}

test('a rollout with a fault in a group pauses itself; corrected and retried it reaches every device @long', async ({
  page,
  context,
  account,
}) => {
  const tag = `wave-${unique()}`
  const cards = await makeFleet(account, tag, 5)
  const applet = await uploadApplet(account)
  for (const card of cards)
    await setFaults(account, card, {
      wrongStatusWord: { instruction: 'E6', statusWord: '6A84' },
    })

  await page.goto('/dashboard/maple/rollouts?create=true')
  const form = page.getByRole('dialog', { name: 'New rollout' })
  const name = form.getByLabel('Name', { exact: true })
  await expect(name).toBeFocused()
  await name.fill(`Rollout ${tag}`)
  // Enter opens the next step and saves nothing; the focus moves along.
  await name.press('Enter')
  await expect(form.getByRole('combobox', { name: 'Devices', exact: true })).toBeFocused()
  await form.getByRole('button', { name: 'Back' }).click()
  await expect(name).toBeFocused()
  await form.getByRole('button', { name: /^Applet/ }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(applet.name)
  await page.getByRole('option', { name: applet.name }).click()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Next: Where' }).click()
  await form.getByLabel('Tags').fill(tag)
  await expect(form).toContainText('5 devices now.')
  await form.getByRole('button', { name: 'Next: Groups' }).click()
  const first = form.getByRole('group', { name: 'Group 1', exact: true })
  await first.getByLabel('Size').selectOption({ label: 'A number of devices' })
  await first.getByLabel('Devices', { exact: true }).fill('2')
  await first.getByText('Pauses above').click()
  await first.getByLabel('Also at this many failures').fill('1')
  await form.getByRole('button', { name: 'Remove Group 2' }).click()
  await expect(form.getByRole('list', { name: 'Groups in their order' })).toContainText('3')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Save the draft' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toContainText('Draft')
  await page.getByRole('button', { name: /^Start/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'It paused' })).toBeVisible()
  const groups = page.getByRole('region', { name: 'Groups' })
  await expect(groups.getByRole('listitem').nth(0)).toContainText('Failed')
  await expect(groups.getByRole('listitem').nth(1)).toContainText('3 waiting')
  await expectAccessible(page)

  const lost = page.getByText('Connection lost, retrying.')
  await context.setOffline(true)
  await expect(lost).toBeVisible()
  await context.setOffline(false)
  await expect(lost).toBeHidden()

  // From the cause to its devices, and from a device to its session.
  await page.getByRole('region', { name: 'Why devices failed' }).getByRole('link').first().click()
  const devices = page.getByRole('region', { name: 'Devices', exact: true })
  await expect(devices).toContainText('with 6A84')
  await expect(devices.getByRole('link', { name: /^Session of/ }).first()).toBeVisible()

  for (const card of cards) await setFaults(account, card, {})
  await page.getByRole('button', { name: 'Resume…' }).click()
  const question = page.getByRole('dialog', { name: `Resume “Rollout ${tag}”` })
  await expect(question.getByRole('radio', { name: /^Retry/ })).toBeChecked()
  await question.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Finished')
  await expect(groups.getByRole('listitem').nth(0)).toContainText('2 succeeded')
  await expect(groups.getByRole('listitem').nth(1)).toContainText('3 succeeded')
  await page.getByRole('link', { name: 'Show all devices' }).click()
  await devices
    .getByRole('link', { name: /^Session of/ })
    .first()
    .click()
  await expect(
    page
      .getByRole('listbox', { name: 'Exchanges' })
      .getByRole('option', { name: 'INSTALL' })
      .last(),
  ).toBeVisible()

  await page.goto(`/dashboard/maple/rollouts?q=${encodeURIComponent(`Rollout ${tag}`)}`)
  const row = page.getByRole('row').filter({ hasText: tag })
  await expect(row.getByRole('progressbar')).toHaveAttribute('aria-valuetext', '5 of 5 succeeded')
  await expectAccessible(page)
})

/** Accepts every failure, so that the rollout finishes. */
const lax = {
  canaries: [],
  groups: [
    {
      by: 'rest',
      amount: 0,
      success: 0,
      errorShare: 100,
      errorMinimum: 1,
      mostErrors: null,
      pausesAfter: false,
    },
  ],
  perMinute: null,
  atOnce: 4,
  window: null,
  runMinutes: 5,
  startHours: 1,
  startsAt: null,
}

test('failures of a finished rollout are retried by cause, and then all remaining ones @long', async ({
  page,
  account,
}) => {
  const tag = `retry-${unique()}`
  const [fine, first, second] = await makeFleet(account, tag, 3)
  const applet = await uploadApplet(account)
  const refuse = (statusWord: string) => ({ wrongStatusWord: { instruction: 'E6', statusWord } })
  if (!fine || !first || !second) throw new Error('There are three cards.')
  await setFaults(account, first, refuse('6A84'))
  await setFaults(account, second, refuse('6F00'))
  const { id } = await account.call<Rollout>('/api/maple/rollouts', {
    method: 'POST',
    body: {
      name: `Fleet ${tag}`,
      program: { kind: 'applet', id: applet.id, input: { action: 'install' } },
      targets: { filter: { tag } },
      plan: lax,
    },
  })
  await account.call(`/api/maple/rollouts/${id}/start`, { method: 'POST' })
  await page.goto(`/dashboard/maple/rollouts/${id}`)
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toContainText('Finished', slow)
  await expectAccessible(page)

  // One cause, with the keyboard only.
  const keys = keyboardOf(page)
  const causes = page.getByRole('region', { name: 'Why devices failed' })
  await keys.start(causes.getByRole('button', { name: /^Retry: .* with 6A84/ }))
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('Retry 1 device?')
  await expectAccessible(page)
  await keys.press(question.getByRole('button', { name: 'Create retry draft' }))
  await expect(heading).toContainText(`↻ Fleet ${tag}`)
  await expect(heading).toContainText('Draft')
  await expectFocus(page)
  const facts = page.getByRole('region', { name: 'Effect' })
  await expect(facts).toContainText('Devices that failed there (1)')
  await expect(facts).toContainText('with 6A84')
  await expectAccessible(page)
  const start = async () => {
    await page.getByRole('button', { name: /^Start/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Start' }).click()
    await expect(heading).toContainText('Finished', slow)
  }
  // The draft does not ask for devices: they are those that failed.
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit the rollout' })
  await expect(form.getByRole('button', { name: 'Where' })).toHaveCount(0)
  await form.getByRole('button', { name: 'Next: Groups' }).click()
  await expect(form.getByRole('list', { name: 'Groups in their order' })).toContainText('1')
  await page.keyboard.press('Escape')
  await start()
  await expect(page.getByRole('region', { name: 'Groups' })).toContainText('1 succeeded')

  // Links in both directions, and then what remains.
  await facts.getByRole('link', { name: `Fleet ${tag}`, exact: true }).click()
  await expect(heading).not.toContainText('↻')
  await expect(facts.getByRole('link', { name: `↻ Fleet ${tag}` })).toBeVisible()
  await page.getByRole('button', { name: 'Retry what failed…' }).click()
  await expect(question).toContainText('Retry 2 devices?')
  await question.getByRole('button', { name: 'Create retry draft' }).click()
  await expect(heading).toContainText(`↻2 Fleet ${tag}`)
  await start()
  await expect(page.getByRole('region', { name: 'Groups' })).toContainText('1 succeeded')
  await page.setViewportSize(phone)
  await page.goto(`/dashboard/maple/rollouts/${id}`)
  await expect(facts.getByRole('link', { name: `↻2 Fleet ${tag}` })).toBeVisible()
  await expectNoOverflow(page)
  await expectAccessible(page)
})
