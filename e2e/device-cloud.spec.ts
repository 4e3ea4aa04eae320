import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { runAgent } from '../packages/device-agent/src/agent.ts'
import { deviceWork } from '../packages/device-agent/src/device-work.ts'
import { openOutbox } from '../packages/device-agent/src/outbox.ts'
import { signedIn, testAs, type Account } from './support/account.ts'
import { devicePage } from './support/device-page.ts'
import { expectAccessible, expectNoOverflow, inRussian, phone } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const ends: (() => void)[] = []
const test = testAs((url) => signedIn(url, sample.admin))
test.afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Device {
  id: string
  secret: string
}

async function newDevice(account: Account): Promise<Device> {
  const id = `cloud-${randomUUID().slice(0, 8)}`
  const body = { id, name: `Pump ${id}`, type: 'iot', state: 'accepted' }
  await account.call('/api/maple/device', { method: 'POST', body })
  const made = await account.call<{ secret: string }>('/api/maple/device/credential', {
    method: 'POST',
    body: { deviceId: id },
  })
  return { id, secret: made.secret }
}

/** Connects the reference device to the gateway, until the test ends or it is stopped. */
function connect(platform: string, { secret }: Device, boot = randomUUID().slice(0, 8)) {
  const outbox = openOutbox(boot)
  const stop = new AbortController()
  let welcome = () => {}
  const welcomed = new Promise<void>((resolve) => (welcome = resolve))
  const work = deviceWork({
    outbox,
    memory: { read: () => [], keep: () => {} },
    flush: () => agent.flush(),
    report: () => {},
    setSeconds: () => {},
  })
  const agent = runAgent({
    platform,
    secret,
    outbox,
    elements: () => [],
    firmware: '1.0.0',
    say: () => {},
    signal: stop.signal,
    onWelcome: () => welcome(),
    ...work,
  })
  ends.push(() => stop.abort())
  return {
    welcomed,
    say(kind: 'telemetry' | 'event', data: unknown, at = Date.now()) {
      outbox.add(kind, data, at)
      agent.flush()
    },
    stop: async () => {
      stop.abort()
      await agent.ended
    },
  }
}

/** Filters by one value, or adds one to the filter. */
async function choose(page: Page, filter: string, value: string, role: 'radio' | 'checkbox') {
  await page.getByRole('button', { name: new RegExp(`^${filter}(:|$)`) }).click()
  await page.getByRole(role, { name: value, exact: true }).click()
  await page.keyboard.press('Escape')
}
const unfilter = (page: Page, filter: string) =>
  page.getByRole('button', { name: `Remove the filter “${filter}”` }).click()

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

test('commands reach a device and are answered; one for an offline device waits', async ({
  page,
  account,
  baseURL,
}) => {
  const device = await newDevice(account)
  await page.goto(`/dashboard/maple/devices/${device.id}`)
  const commands = part(page, 'Commands')
  const list = commands.getByRole('list', { name: 'Commands' })
  await commands.getByLabel('Command', { exact: true }).fill('echo')
  await commands.getByLabel('Data as JSON').fill('{"led": tru}')
  await commands.getByRole('button', { name: 'Send' }).click()
  await expect(commands).toContainText('This is not JSON.')
  await commands.getByLabel('Data as JSON').fill('{"led": true}')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const first = list.getByRole('listitem').first()
  await expect(first).toContainText('Waits for the device')
  await first.getByRole('button', { name: 'Cancel' }).click()
  await expect(first).toContainText('Cancelled')

  await commands.getByLabel('Data as JSON').fill('{"led": false}')
  await commands.getByRole('button', { name: 'Send' }).click()
  await expect(first).toContainText('Waits for the device')
  connect(baseURL ?? '', device)
  await expect(first).toContainText('Succeeded')
  await expect(first).toContainText('Answer: {"led":false}')

  await commands.getByLabel('Command', { exact: true }).fill('dance')
  await commands.getByRole('button', { name: 'Send' }).click()
  await expect(first).toContainText('This device does not know the command dance.')
  await expect(list.getByRole('listitem')).toHaveCount(3)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('two people change the desired state at once, and no change is lost @long', async ({
  page,
  account,
  baseURL,
}) => {
  const device = await newDevice(account)
  connect(baseURL ?? '', device)
  await page.goto(`/dashboard/maple/devices/${device.id}`)
  const twin = part(page, 'Desired and reported')
  await twin.getByRole('button', { name: 'Change the desired state…' }).click()
  const text = twin.getByLabel('Desired state as JSON')
  await text.fill('{"interval": 30, ')
  await expect(twin).toContainText('Enter an object in JSON')
  await text.fill('{"interval": 30, "mode": "day"}')

  await account.call(`/api/maple/device/twin?deviceId=${device.id}`, {
    method: 'PUT',
    body: { desired: { colour: 'red', mode: 'night' } },
  })
  await twin.getByRole('button', { name: 'Save' }).click()
  const conflict = twin.getByRole('alert')
  await expect(conflict).toContainText('Somebody else has changed the desired state:')
  await expect(conflict).toContainText(/colour, mode|mode, colour/)
  await expectAccessible(page)
  await conflict.getByRole('button', { name: 'Continue on top of their changes' }).click()
  await expect(text).toHaveValue(/"colour": "red"/)
  await expect(text).toHaveValue(/"mode": "day"/)
  await twin.getByRole('button', { name: 'Save' }).click()
  const rowOf = (key: string) => twin.getByRole('row').filter({ hasText: key })
  await expect(rowOf('colour')).toContainText('As desired')
  await expect(rowOf('mode')).toContainText('"day"')
  await expect(rowOf('interval')).toContainText('As desired')

  // When the device rejects a change, it says why.
  await twin.getByRole('button', { name: 'Change the desired state…' }).click()
  await text.fill('{"colour": "red", "mode": "day", "interval": -1}')
  await twin.getByRole('button', { name: 'Save' }).click()
  await expect(rowOf('interval')).toContainText('Refused')
  await expect(rowOf('interval')).toContainText('interval is a number of seconds')
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await expectAccessible(page)
})

test('the measurements of a device are a chart, a table and a file', async ({
  page,
  account,
  baseURL,
}) => {
  const device = await newDevice(account)
  const agent = connect(baseURL ?? '', device)
  const now = Date.now()
  for (let minute = 30; minute > 0; minute -= 1)
    agent.say(
      'telemetry',
      { temperature: minute === 7 ? 99 : 20 + (minute % 3), humidity: 40 },
      now - minute * 60_000,
    )
  await page.goto(`/dashboard/maple/devices/${device.id}`)
  const telemetry = part(page, 'Telemetry')
  const chart = telemetry.getByRole('figure', { name: /^temperature/ })
  await expect(chart.locator('[data-points]')).toHaveAttribute('data-points', '30')
  await expect(chart.locator('canvas')).toBeVisible()
  await telemetry.getByRole('button', { name: 'Table of temperature' }).click()
  const table = telemetry.getByRole('region', { name: 'Table of temperature' })
  await expect(table.getByRole('cell', { name: '99', exact: true }).first()).toBeVisible()
  await expectAccessible(page)

  const download = page.waitForEvent('download')
  await telemetry.getByRole('button', { name: 'Export CSV' }).click()
  const file = await (await download).createReadStream()
  const lines = (await file.toArray()).join('').trim().split('\r\n')
  expect(lines[0]).toBe('time,key,value,device_time')
  expect(lines).toHaveLength(1 + 2 * 30)
  expect(lines.filter((line) => line.includes(',temperature,99,'))).toHaveLength(1)

  await choose(page, 'Values', 'humidity', 'checkbox')
  await expect(telemetry.getByRole('figure')).toHaveCount(1)
  await telemetry.getByLabel('Time range').selectOption('week')
  await expect(telemetry.getByRole('figure').locator('[data-points]')).toHaveAttribute(
    'data-points',
    /^[1-4]$/,
  )
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('a session of a device is followed live, filtered, replayed and exported @long', async ({
  page,
  account,
  baseURL,
}) => {
  const device = await newDevice(account)
  const agent = connect(baseURL ?? '', device)
  agent.say('event', { door: 'opened' })
  await agent.welcomed
  await page.goto(`/dashboard/maple/devices/${device.id}`)
  await devicePage(page).openPart('Messages')
  await page.getByRole('link', { name: 'All connections of this device' }).click()
  const table = page.getByRole('table', { name: 'Sessions' })
  const row = table.getByRole('row').filter({ hasText: `Pump ${device.id}` })
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('Connected')
  await choose(page, 'State', 'Closed', 'radio')
  await expect(row).toHaveCount(0)
  await choose(page, 'State', 'Connected', 'radio')
  await expectAccessible(page)
  await row.getByRole('link').click()

  const log = page.getByRole('listbox', { name: 'Messages' })
  await expect(log.getByRole('option')).toHaveCount(1)
  agent.say('telemetry', { temperature: 21.5 })
  await expect(log.getByRole('option', { name: 'Telemetry' })).toContainText('21.5')
  // Messages sent to it are in the same log.
  await account.call('/api/maple/device/command', {
    method: 'POST',
    body: { deviceId: device.id, name: 'echo', data: { led: true } },
  })
  const options = log.getByRole('option')
  await expect(options).toHaveCount(4)
  await expect(options.nth(2)).toContainText('Command')
  await expect(options.nth(2)).toContainText('"led":true')
  await expect(options.nth(3)).toContainText('Result of a command')
  await options.nth(2).click()
  const details = page.getByRole('complementary', { name: 'Command' })
  await expect(details).toContainText('Sent to the device')
  await expect(details).toContainText('"name": "echo"')
  await expectAccessible(page)

  await page.getByRole('searchbox', { name: 'Search messages' }).fill('door')
  await expect(options).toHaveCount(1)
  await expect(page).toHaveURL(/q=door/)
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('')
  await choose(page, 'Kind', 'Command', 'radio')
  await expect(options).toHaveCount(1)
  await unfilter(page, 'Kind')
  await expect(options).toHaveCount(4)

  // Replayed with the keyboard: message by message, and to the end.
  await page.getByRole('button', { name: 'Replay the log in real time' }).click()
  const bar = page.getByRole('group', { name: 'Replay' })
  const slider = bar.getByRole('slider', { name: 'Moment of the log' })
  await slider.press('Home')
  await slider.press('ArrowLeft')
  await expect(options).toHaveCount(1)
  await slider.press('ArrowRight')
  await expect(options).toHaveCount(2)
  await expectAccessible(page)
  await bar.getByLabel('Speed').selectOption('600')
  await bar.getByRole('button', { name: 'Play', exact: true }).click()
  await expect(options).toHaveCount(4)
  await expect(bar.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await bar.getByRole('button', { name: 'Close the replay' }).click()
  await expect(bar).toBeHidden()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'As text' }).click()
  const file = await (await download).createReadStream()
  const text = (await file.toArray()).join('')
  expect(text).toContain('event {"door":"opened"}')
  expect(text).toContain('to the device: command')

  await agent.stop()
  await expect(page.getByRole('status').filter({ hasText: /^Ended$/ })).toBeVisible()
  await expect(page.getByText('The device disconnected')).toBeVisible()
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
})

test('two devices with one secret are noticed on the page of the device, on a phone in Russian @long', async ({
  page,
  account,
  baseURL,
}) => {
  const device = await newDevice(account)
  await inRussian(page)
  await page.setViewportSize(phone)
  await page.goto(`/dashboard/maple/devices/${device.id}`)
  const connection = part(page, 'Подключение')
  for (const boot of ['first', 'second', 'first', 'second']) {
    await connect(baseURL ?? '', device, boot).welcomed
  }
  await expect(connection.getByRole('status')).toContainText(
    'Похоже, два устройства используют один секрет.',
  )
  await expectNoOverflow(page)
  await expectAccessible(page)
})
