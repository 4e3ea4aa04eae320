import { signedIn, testAs } from './support/account.ts'
import { bulkDialog, devicePanel, devicesPage } from './support/devices-page.ts'
import {
  createDevice,
  newCplc,
  newPrefix,
  readDevice,
  retireDevice,
  serialOf,
} from './support/fleet.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))
const developerTest = testAs((url) => signedIn(url, sample.developer))

test('filters by type and state narrow the list, and reload and Back restore them', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  await createDevice(account, { name: `${prefix} gate`, type: 'iot', state: 'pending' })
  await createDevice(account, { name: `${prefix} door`, type: 'iot', state: 'accepted' })
  await createDevice(account, { name: `${prefix} twin`, type: 'virtual', state: 'accepted' })
  await createDevice(account, { name: `${prefix} boot`, type: 'boot', state: 'quarantined' })
  const devices = devicesPage(page)
  await devices.open({ q: prefix })
  await expect(devices.rows).toHaveCount(4)
  await devices.filter('Type', 'IoT', 'Virtual')
  await expect(devices.rows).toHaveCount(3)
  await devices.filter('State', 'Accepted')
  await expect.poll(devices.names).toEqual([`${prefix} door`, `${prefix} twin`])

  await page.reload()
  await expect.poll(devices.names).toEqual([`${prefix} door`, `${prefix} twin`])
  await expect(devices.filterButton('State')).toHaveText('State: Accepted')
  await page.goBack()
  await expect(devices.rows).toHaveCount(3)
  await expect(devices.filterButton('State')).toHaveText('State')
  await expect(devices.filterButton('Type')).toHaveText('Type: IoT, Virtual')
})

test('a device is found by its id, its name, its CPLC and its element’s serial', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const cplc = newCplc()
  await createDevice(account, { id: `${prefix}-id`, name: `Лифт ${prefix}`, cplc: [cplc] })
  await createDevice(account, { name: `Дверь ${prefix}`, cplc: [newCplc()] })
  const devices = devicesPage(page)
  await devices.open()
  for (const text of [`${prefix}-i`, `лифт ${prefix}`, cplc.toLowerCase(), serialOf(cplc)]) {
    await devices.search(`дверь ${prefix}`)
    await expect.poll(devices.names).toEqual([`Дверь ${prefix}`])
    await devices.search(text)
    await expect.poll(devices.names, text).toEqual([`Лифт ${prefix}`])
  }
  await page.reload()
  await expect(devices.searched).toHaveValue(serialOf(cplc))
  await expect.poll(devices.names).toEqual([`Лифт ${prefix}`])
})

test('the order can be chosen, and the URL keeps it @long', async ({ page, account }) => {
  const prefix = newPrefix()
  for (const [id, name] of [
    ['3', 'ant'],
    ['1', 'bee'],
    ['2', 'cat'],
  ])
    await createDevice(account, { id: `${prefix}-${id}`, name: `${prefix} ${name}` })
  const named = (...names: string[]) => names.map((name) => `${prefix} ${name}`)
  const devices = devicesPage(page)
  await devices.open({ q: prefix })
  await expect.poll(devices.names).toEqual(named('ant', 'bee', 'cat'))
  await devices.sortBy('Name')
  await expect.poll(devices.names).toEqual(named('cat', 'bee', 'ant'))
  await devices.sortBy('ID')
  await expect.poll(devices.names).toEqual(named('bee', 'cat', 'ant'))
  await devices.sortBy('Created')
  await expect.poll(devices.names).toEqual(named('cat', 'bee', 'ant'))
  await page.goBack()
  await expect.poll(devices.names).toEqual(named('bee', 'cat', 'ant'))
  await page.reload()
  await expect(devices.heading('ID')).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(devices.names).toEqual(named('bee', 'cat', 'ant'))
})

test('Next and Previous page through the list without gaps, also after reload and Back @long', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const all = Array.from({ length: 53 }, (_, at) => `${prefix} ${String(at).padStart(2, '0')}`)
  await Promise.all(all.map((name) => createDevice(account, { name })))
  const devices = devicesPage(page)
  await devices.open({ q: prefix, limit: '25' })
  await expect.poll(devices.names).toEqual(all.slice(0, 25))
  await expect(devices.previous).toBeDisabled()
  await devices.next.click()
  await expect.poll(devices.names).toEqual(all.slice(25, 50))
  await devices.next.click()
  await expect.poll(devices.names).toEqual(all.slice(50))
  await expect(devices.next).toBeDisabled()
  await page.reload()
  await expect.poll(devices.names).toEqual(all.slice(50))
  await devices.previous.click()
  await expect.poll(devices.names).toEqual(all.slice(25, 50))
  await page.goBack()
  await expect.poll(devices.names).toEqual(all.slice(50))
})

test('a device is registered with an element, changed and retired', async ({ page, account }) => {
  const prefix = newPrefix()
  const cplc = newCplc()
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open({ q: prefix })
  await devices.register()
  await device.name.fill(`${prefix} gate`)
  await device.id.fill(`${prefix}-1`)
  await device.type.selectOption('Virtual')
  await device.addElement(`9F7F2A${cplc}`)
  await expect(device.panel).toContainText(`serial ${serialOf(cplc)}`)
  await device.register()
  await expect(device.title).toHaveText(`${prefix} gate`)
  await expect(device.panel).toContainText('Pending')
  await expect(device.panel).toContainText('IC serial number')
  await expect(devices.row(`${prefix} gate`)).toContainText('Virtual')

  await device.edit()
  await device.name.fill(`${prefix} barrier`)
  await device.state('Accepted').check()
  await device.save()
  await expect(device.title).toHaveText(`${prefix} barrier`)
  await expect(devices.row(`${prefix} barrier`)).toContainText('Accepted')

  await device.retireButton.click()
  await expect(question(page)).toContainText('Retiring is final')
  await answer(page, 'Retire the device')
  await expect(devices.row(`${prefix} barrier`)).toContainText('Retired')
  await expect(device.retireButton).toHaveAttribute('aria-disabled', 'true')
  expect(await readDevice(account, `${prefix}-1`)).toMatchObject({
    name: `${prefix} barrier`,
    type: 'virtual',
    state: 'retired',
    elements: [{ cplc }],
  })
})

test('many devices change state and are retired at once, with progress and failures', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const names = ['a', 'b', 'c', 'd'].map((letter) => `${prefix} ${letter}`)
  for (const name of names) await createDevice(account, { name })
  await retireDevice(account, await createDevice(account, { name: `${prefix} e` }))
  const devices = devicesPage(page)
  const bulk = bulkDialog(page)
  await devices.open({ q: prefix })
  await devices.selectAll()
  await expect(devices.selected).toHaveText('5 rows selected')

  // Holds the calls of the change, so that its progress can be seen.
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  let passed = 0
  await page.route('**/api/maple/device?id=*', async (route) => {
    if (route.request().method() === 'PUT' && ++passed > 2) await held
    await route.continue()
  })
  await devices.holdSelected()
  await expect(question(page)).toContainText('Put 5 devices on hold?')
  await answer(page, 'Put on hold')
  await expect(bulk.dialog).toContainText('2 of 5 done')
  await expect(bulk.progress).toHaveJSProperty('value', 2)
  await expect(bulk.stop).toBeVisible()
  release()
  await expect(bulk.dialog).toContainText('4 of 5 done')
  await expect(bulk.failures).toHaveCount(1)
  await expect(bulk.failures).toContainText(`${prefix} e`)
  await bulk.close()
  for (const name of names) await expect(devices.row(name)).toContainText('To be accepted')

  await devices.retireSelected()
  await answer(page, 'Retire 5 devices')
  await expect(bulk.dialog).toContainText('5 of 5 done')
  await bulk.close()
  for (const name of names) await expect(devices.row(name)).toContainText('Retired')
  await expect(devices.selected).toHaveCount(0)
})

test('a change without an answer of its server says so, and a cancelled one counts what it did @long', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  for (const letter of ['a', 'b', 'c']) await createDevice(account, { name: `${prefix} ${letter}` })
  const devices = devicesPage(page)
  const { dialog, progress, close } = bulkDialog(page)
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await devices.open({ q: prefix })
  await choose('Change all matching devices…')
  await expect(dialog).toContainText('3 devices match now.')
  const one = /\/api\/maple\/device\/bulk\/[0-9a-f-]{36}$/
  await page.route(one, (route) => route.abort('connectionrefused'))
  await dialog.getByRole('button', { name: 'Start' }).click()
  await expect(dialog).toContainText('Connection lost, retrying.')
  await expect(dialog).not.toContainText('the change continues')
  await expect(progress).toBeVisible()
  await page.unroute(one)
  await expect(dialog).toContainText('Devices are changed')
  await expect(dialog).toContainText('3 changed')
  await expect(dialog).not.toContainText('Connection lost')
  await close()

  // The same change when it was cancelled after its first device.
  const list = /\/api\/maple\/device\/bulk\?/
  await page.route(list, async (route) => {
    const response = await route.fetch()
    const { items, ...rest } = (await response.json()) as { items: object[] }
    const [newest, ...older] = items
    const cancelled = { ...newest, state: 'cancelled', changed: 1 }
    await route.fulfill({ response, json: { ...rest, items: [cancelled, ...older] } })
  })
  await choose('Bulk changes')
  const row = page.getByRole('row').nth(1)
  await expect(row).toContainText('Cancelled')
})

test('an element is detached and can then be attached to another device @long', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const cplc = newCplc()
  const { id } = await createDevice(account, { name: `${prefix} gate`, cplc: [cplc] })
  const device = devicePanel(page)
  await devicesPage(page).open({ device: id })
  await device.detach()
  await expect(question(page)).toContainText(`Detach element ${serialOf(cplc)}`)
  await answer(page, 'Detach')
  await expect(device.panel).toContainText('No elements.')
  expect((await readDevice(account, id))?.elements).toEqual([])
  await createDevice(account, { name: `${prefix} door`, cplc: [cplc] })
})

test('a taken id and another device’s element are explained at their fields, and nothing typed is lost @long', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const cplc = newCplc()
  await createDevice(account, { id: `${prefix}-1`, name: `${prefix} gate`, cplc: [cplc] })
  const device = devicePanel(page)
  await devicesPage(page).open({ create: 'true' })
  await device.name.fill(`${prefix} door`)
  await device.id.fill(`${prefix}-1`)
  await device.register()
  await expect(device.id).toHaveAccessibleDescription(/Another device has this ID\./)
  await expect(device.id).toBeFocused()
  await device.id.fill(`${prefix}-2`)
  await device.addElement(newCplc())
  await device.addElement(cplc)
  await device.register()
  await expect(device.cplc.last()).toHaveAccessibleDescription(
    /This secure element belongs to another device\./,
  )
  await expect(device.cplc.last()).toBeFocused()
  await expect(device.cplc.first()).not.toHaveAttribute('aria-invalid')
  await expect(device.name).toHaveValue(`${prefix} door`)
  expect(await readDevice(account, `${prefix}-2`)).toBeUndefined()
})

test('a name of 10,000 characters is refused with a sentence at its field @long', async ({
  page,
}) => {
  const device = devicePanel(page)
  await devicesPage(page).open({ create: 'true' })
  await device.name.fill('Ж'.repeat(10_000))
  await device.register()
  await expect(device.name).toHaveAccessibleDescription('At most 100 characters.')
  await expect(device.name).toHaveValue('Ж'.repeat(10_000))
  await expect(device.panel).toBeVisible()
})

test('a device has its own URL, and a missing one says so @long', async ({ page, account }) => {
  const prefix = newPrefix()
  const { id } = await createDevice(account, { name: `<b>${prefix}</b> 🚪 باب` })
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open({ device: id })
  await expect(device.title).toHaveText(`<b>${prefix}</b> 🚪 باب`)
  await device.close()
  await expect(device.panel).toHaveCount(0)
  await page.goBack()
  await expect(device.title).toHaveText(`<b>${prefix}</b> 🚪 باب`)
  for (const unknown of [`${prefix}-none`, '<script>']) {
    await devices.open({ device: unknown })
    await expect(device.panel).toContainText('There is no device with this ID.')
  }
})

developerTest('a developer cannot enter and sees why @long', async ({ page, account }) => {
  const devices = devicesPage(page)
  await devices.open({ q: 'gate' })
  await expect(devices.adminsOnly).toBeVisible()
  await expect(devices.table).toHaveCount(0)
  expect((await account.fetch('/api/maple/device')).status).toBe(403)
})

test('rows are navigated, opened and selected with the keyboard @long', async ({
  page,
  account,
}) => {
  const prefix = newPrefix()
  const [first, second, third] = ['a', 'b', 'c'].map((letter) => `${prefix} ${letter}`)
  for (const name of [first, second, third])
    await createDevice(account, { name: name ?? '', type: 'virtual' })
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open({ q: prefix })
  await devices.row(first ?? '').focus()
  await page.keyboard.press('ArrowDown')
  await expect(devices.row(second ?? '')).toBeFocused()
  await page.keyboard.press('End')
  await expect(devices.row(third ?? '')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(device.title).toHaveText(second ?? '')
  await expect(device.panel).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(device.panel).toHaveCount(0)
  await expect(devices.row(second ?? '')).toBeFocused()
  await page.keyboard.press('Space')
  await expect(devices.selected).toHaveText('1 row selected')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+Space')
  await expect(devices.selected).toHaveText('2 rows selected')
})

test('on a phone neither the list, a device nor its form overflows @long', async ({
  page,
  account,
}) => {
  await page.setViewportSize(phone)
  const prefix = newPrefix()
  const name = prefix.padEnd(100, 'W')
  const id = prefix.padEnd(64, 'w')
  await createDevice(account, { id, name, cplc: [newCplc(), newCplc()] })
  const devices = devicesPage(page)
  await devices.open({ q: prefix })
  await expect(devices.row(name)).toBeVisible()
  await expectNoOverflow(page)
  await devices.select(name)
  await expect(devices.selected).toBeVisible()
  await expectNoOverflow(page)
  const { title, edit, name: nameField } = devicePanel(page)
  await devices.open({ device: id })
  await expect(title).toHaveText(name)
  await expectNoOverflow(page)
  await edit()
  await expect(nameField).toBeVisible()
  await expectNoOverflow(page)
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`the list next to a device has no accessibility fault that axe finds, ${colorScheme} @long`, async ({
    page,
    account,
  }) => {
    await page.emulateMedia({ colorScheme })
    const prefix = newPrefix()
    const { id, name } = await createDevice(account, { name: `${prefix} gate`, cplc: [newCplc()] })
    const { title, edit, name: nameField } = devicePanel(page)
    await devicesPage(page).open({ q: prefix, device: id })
    await expect(title).toHaveText(name)
    await expect(devicesPage(page).row(name)).toBeVisible()
    await expectAccessible(page)
    await edit()
    await expect(nameField).toBeVisible()
    await expectAccessible(page)
  })
