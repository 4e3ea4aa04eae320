import type { Locator, Page } from '@playwright/test'
import { devicePanel, devicesPage } from '../support/devices-page.ts'
import { deviceOf, devicesOf, fleetAnswers } from '../support/fleet-answers.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from '../support/page-checks.ts'
import { expect, people, savingData, testAs, type Calls } from '../support/page-test.ts'

const test = testAs(people.admin, () => fleetAnswers(devicesOf(3)))

/** Devices ordered by name. */
function fleetOf(calls: Calls, count: number) {
  const devices = devicesOf(count)
  const names = devices.map(({ name }) => name)
  calls.answer(fleetAnswers(devices))
  return {
    devices,
    name: (at: number) => names[at] ?? '',
    id: (at: number) => devices[at]?.id ?? '',
  }
}

/** Whether a click in the middle of an element would hit it. */
const isUncovered = (target: Locator) =>
  target.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    return hit !== null && (element.contains(hit) || hit.contains(element))
  })

const focusedName = (page: Page) =>
  page.evaluate(() => {
    const { activeElement } = document
    return activeElement === document.body ? 'body' : (activeElement?.tagName ?? '')
  })

test('filters are readable in the URL, and older links still work', async ({ page }) => {
  const devices = devicesPage(page)
  await devices.open()
  await devices.filter('State', 'Online', 'Offline')
  await expect(page).toHaveURL(/\?(.*&)?state=online,offline/)
  await page.goto('/dashboard/maple/devices?state=%5B%22offline%22%5D&limit=25')
  await expect(devices.filterButton('State')).toHaveText('State: Offline')
  await expect(page).toHaveURL(/state=offline/)
  await devices.removeFilter('State')
  await expect(page).not.toHaveURL(/state/)
  await expect(devices.filterButton('State')).toBeFocused()
})

test('removing a filter while the session is being renewed keeps the page and the focus', async ({
  page,
  calls,
}) => {
  await page.clock.install()
  const devices = devicesPage(page)
  await devices.open({ state: 'offline' })
  await expect(devices.filterButton('State')).toHaveText('State: Offline')
  const release = calls.hold('POST /api/token/refresh')
  const asked = page.waitForRequest('**/api/token/refresh')
  await page.clock.fastForward('11:00')
  await asked
  await devices.removeFilter('State')
  // Longer than a page may take before a skeleton replaces it.
  await page.clock.runFor(2_000)
  await expect(devices.filterButton('State')).toBeFocused()
  release()
  await expect(page).not.toHaveURL(/state/)
  await expect(devices.filterButton('State')).toHaveText('State')
  await expect(devices.filterButton('State')).toBeFocused()
})

test('an unknown value of a filter is reported, and Clear removes it', async ({ page }) => {
  const devices = devicesPage(page)
  await devices.open({ state: 'foo' })
  await expect(page.getByText('Unknown state “foo”; showing all.')).toBeVisible()
  await devices.clear.click()
  await expect(page.getByText('Unknown state')).toHaveCount(0)
  await expect(page).not.toHaveURL(/foo/)
  await devices.open({ state: 'foo,online' })
  await expect(page.getByText('Unknown state “foo”; showing Online.')).toBeVisible()
})

test('arrows move in a menu and do not scroll the page', async ({ page, calls }) => {
  fleetOf(calls, 40)
  const devices = devicesPage(page)
  await devices.open()
  await expect(devices.rows).toHaveCount(40)
  await devices.filterButton('State').focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('checkbox', { name: 'Pending' })).toBeFocused()
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('checkbox', { name: 'Offline' })).toBeFocused()
  await page.keyboard.press('Home')
  await expect(page.getByRole('checkbox', { name: 'Pending' })).toBeFocused()
  await page.keyboard.press('End')
  await expect(page.getByRole('checkbox', { name: 'Retired' })).toBeFocused()
  expect(await page.evaluate(() => scrollY)).toBe(0)
})

test('find-in-page finds an ID, and a copied selection contains all of it', async ({
  page,
  calls,
}) => {
  const id = 'gate-'.padEnd(64, 'x7')
  calls.answer(fleetAnswers([deviceOf('Gate', { id })]))
  await devicesPage(page).open({ device: id })
  const { panel } = devicePanel(page)
  await expect(panel.locator('code', { hasText: id })).toBeVisible()
  const found = await page.evaluate((text) => {
    const isFound = (window as unknown as { find: (text: string) => boolean }).find(text)
    return { isFound, selected: String(getSelection()) }
  }, id)
  expect(found).toEqual({ isFound: true, selected: id })
})

test('in a language without room for all columns, secondary ones are hidden', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('grove.locale', 'ru-RU'))
  const created = page.getByRole('columnheader', { name: 'Создано' })
  await page.goto('/dashboard/maple/devices')
  for (const [width, isShown] of [
    [1920, true],
    [1300, false],
    [1920, true],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await expect(page.getByRole('columnheader', { name: 'Состояние' })).toBeVisible()
    await expect(created).toBeVisible({ visible: isShown })
    await expectNoOverflow(page)
  }
})

for (const width of [1280, 1440, 1920])
  test(`at ${width} px the list stays usable beside an open device`, async ({ page, calls }) => {
    await page.setViewportSize({ width, height: 900 })
    const { name, id } = fleetOf(calls, 3)
    const devices = devicesPage(page)
    const { panel, title } = devicePanel(page)
    await devices.open({ device: id(1) })
    await expect(title).toHaveText(name(1))
    for (const target of [
      // At 1280 px a row is a name, a state and one line, without headings.
      ...(width > 1280 ? [devices.heading('Name'), devices.heading('State')] : []),
      devices.row(name(0)).getByText('Pending'),
      devices.total,
      devices.view,
      page.getByRole('button', { name: 'New device' }),
    ])
      expect(await isUncovered(target), String(target)).toBe(true)
    await expectNoOverflow(page)
    // The list still works while the panel is open.
    await devices.openDevice(name(2))
    await expect(title).toHaveText(name(2))
    await expect(panel).toBeVisible()
  })

test('below 1280 px the panel covers the list, which is then inert', async ({ page, calls }) => {
  await page.setViewportSize({ width: 1024, height: 768 })
  const { name, id } = fleetOf(calls, 2)
  const devices = devicesPage(page)
  const { panel, title } = devicePanel(page)
  await devices.open({ device: id(0) })
  await expect(title).toHaveText(name(0))
  expect(await panel.evaluate((element) => element.matches(':modal'))).toBe(true)
  await page.setViewportSize({ width: 1440, height: 768 })
  await expect.poll(() => panel.evaluate((element) => element.matches(':modal'))).toBe(false)
  await page.setViewportSize({ width: 1024, height: 768 })
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(devices.row(name(0))).toBeFocused()
})

test('J and K open the neighbours, E edits, and the tab shows the name', async ({
  page,
  calls,
}) => {
  const { name } = fleetOf(calls, 3)
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open()
  await expect(devices.rows).toHaveCount(3)
  await page.keyboard.press('j')
  await expect(devices.row(name(0))).toBeFocused()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await expect(device.title).toHaveText(name(1))
  await expect(page).toHaveTitle(`${name(1)} · Devices · Grove`)
  await page.keyboard.press('j')
  await expect(device.title).toHaveText(name(2))
  await expect(device.next).toHaveAttribute('aria-disabled', 'true')
  await device.previous.click()
  await expect(device.title).toHaveText(name(1))
  await page.keyboard.press('k')
  await expect(device.title).toHaveText(name(0))
  await page.keyboard.press('e')
  await expect(device.name).toBeFocused()
  // In a text field, letters are typed, not shortcuts.
  await page.keyboard.press('End')
  await page.keyboard.type('jke/')
  await expect(device.name).toHaveValue(`${name(0)}jke/`)
})

test('the slash focuses the search, and the row’s own menu edits and retires', async ({
  page,
  calls,
}) => {
  const { name } = fleetOf(calls, 2)
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open()
  await devices.row(name(0)).focus()
  await page.keyboard.press('/')
  await expect(devices.searched).toBeFocused()
  await devices.menu(name(1), 'Edit')
  await expect(device.name).toHaveValue(name(1))
  await device.cancel()
  await devices.menu(name(0), 'Retire…')
  await answer(page, 'Retire the device')
  await expect(devices.row(name(0))).toContainText('Retired')
  await devices
    .row(name(0))
    .getByRole('button', { name: /^Actions/ })
    .click()
  const item = page.getByRole('menuitem', { name: 'Retire…' })
  await expect(item).toHaveAttribute('aria-disabled', 'true')
  await expect(item).toContainText('This device is retired, which is final.')
})

test('the focus stays in the panel when it switches to a form and back', async ({
  page,
  calls,
}) => {
  const { name, id } = fleetOf(calls, 2)
  const devices = devicesPage(page)
  const device = devicePanel(page)
  await devices.open({ device: id(0) })
  await device.edit()
  await expect(device.name).toBeFocused()
  await device.cancel()
  await expect(device.editButton).toBeFocused()
  await device.edit()
  await device.name.fill(`${name(0)} b`)
  await device.save()
  await expect(device.editButton).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(device.panel).toHaveCount(0)
  await expect(devices.row(`${name(0)} b`)).toBeFocused()
  expect(await focusedName(page)).toBe('TR')
})

test('Escape in a changed form asks, and the question stays until it is answered', async ({
  page,
  calls,
}) => {
  const { name, id } = fleetOf(calls, 1)
  const devices = devicesPage(page)
  const device = devicePanel(page)
  for (const width of [1440, 900]) {
    await page.setViewportSize({ width, height: 800 })
    await devices.open({ device: id(0), edit: 'true' })
    await device.name.fill(`${name(0)} changed`)
    await page.keyboard.press('Escape')
    await expect(question(page)).toBeVisible()
    await answer(page, 'Stay')
    await expect(device.name).toHaveValue(`${name(0)} changed`)
    await page.keyboard.press('Escape')
    await answer(page, 'Leave')
    await expect(device.panel).toHaveCount(0)
  }
})

test('the choice of columns, row height and page size is remembered, even if storage is denied @long', async ({
  page,
  calls,
  browser,
  baseURL,
}) => {
  fleetOf(calls, 26)
  calls.answer({ 'GET /api/developer/product': { items: [], next: null, previous: null } })
  const devices = devicesPage(page)
  const choose = async (in_: Page) => {
    await devicesPage(in_).view.click()
    await in_.getByRole('checkbox', { name: 'Created' }).uncheck()
    await in_.getByRole('radio', { name: 'Compact' }).check()
    await in_.getByRole('radio', { name: '25', exact: true }).check()
    await in_.keyboard.press('Escape')
  }
  const expectChosen = async (in_: Page) => {
    const list = devicesPage(in_)
    await expect(list.rows).toHaveCount(25)
    await expect(list.heading('Created')).toHaveCount(0)
    await expect.poll(async () => (await list.rows.first().boundingBox())?.height).toBeLessThan(30)
  }
  await devices.open()
  await expect(devices.rows).toHaveCount(26)
  expect((await devices.rows.first().boundingBox())?.height).toBeLessThanOrEqual(37)
  await choose(page)
  await expectChosen(page)
  await page.getByRole('link', { name: 'My apps' }).click()
  await expect(devices.table).toHaveCount(0)
  await devices.open()
  await expectChosen(page)

  const context = await browser.newContext({
    baseURL: baseURL ?? '',
    storageState: await page.context().storageState(),
  })
  await savingData(context)
  await context.addInitScript(() => {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('grove.list')) localStorage.removeItem(key)
    const setItem = Storage.prototype.setItem.bind(localStorage)
    Storage.prototype.setItem = (key: string, value: string) => {
      if (key.startsWith('grove.list')) throw new DOMException('denied', 'QuotaExceededError')
      setItem(key, value)
    }
  })
  const denied = await context.newPage()
  await devicesPage(denied).open()
  await expect(devicesPage(denied).rows).toHaveCount(26)
  await choose(denied)
  await expectChosen(denied)
  await context.close()
})

test('one page has a total and no pager, and a long list shows its total', async ({
  page,
  calls,
}) => {
  fleetOf(calls, 26)
  const devices = devicesPage(page)
  await devices.open()
  await expect(devices.total).toHaveText('26 devices')
  await expect(devices.pages).toHaveCount(0)
  // The count comes with the page, without a call of its own.
  expect(calls.asked('GET /api/maple/device')).toHaveLength(1)
  await devices.open({ limit: '25' })
  await expect(devices.total).toHaveText('26 devices')
  await expect(devices.pages).toBeVisible()
})

test('all filtered rows are selected across pages, and the rest of a change is not retried in vain', async ({
  page,
  calls,
}) => {
  const { name, devices: fleet } = fleetOf(calls, 27)
  for (const at of [0, 26]) Object.assign(fleet[at] ?? {}, { state: 'retired' })
  const devices = devicesPage(page)
  await devices.open({ limit: '25' })
  await devices.selectAll()
  await expect(devices.selected).toHaveText('25 rows selected')
  await page.getByRole('button', { name: 'Select all 27' }).click()
  await expect(devices.selected).toHaveText('27 rows selected')
  await devices.holdSelected()
  await answer(page, 'Put on hold')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('25 of 27 done')
  await expect(dialog).toContainText('2 refused')
  await expect(dialog.getByRole('button', { name: /again/ })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(devices.row(name(1))).toContainText('To be accepted')
})

test('a phone shows at least seven devices, each with its state and one line', async ({
  page,
  calls,
}) => {
  await page.setViewportSize(phone)
  const { name } = fleetOf(calls, 20)
  const devices = devicesPage(page)
  await devices.open()
  await expect(devices.rows).toHaveCount(20)
  const whole = await devices.rows.evaluateAll((rows) => {
    const footer = document.querySelector('section > footer')?.getBoundingClientRect().top ?? 0
    return rows.filter((row) => row.getBoundingClientRect().bottom <= footer).length
  })
  expect(whole).toBeGreaterThanOrEqual(7)
  await expect(devices.row(name(0)).getByText('Pending')).toBeVisible()
  await expect(devices.row(name(0)).getByText('IoT')).toBeVisible()
  await expectNoOverflow(page)
  await devices.view.click()
  await page.getByRole('radio', { name: 'Created' }).check()
  await expect(page).toHaveURL(/sort=createdAt/)
})

test('names and IDs are shown in full at 1440 px, and replacing the skeleton moves nothing', async ({
  page,
  calls,
}) => {
  calls.answer(fleetAnswers([deviceOf('Gate', { id: crypto.randomUUID() })]))
  const shifts = () =>
    page.evaluate(() => {
      const total = { value: 0 }
      Object.assign(window, { shifts: total })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          total.value += (entry as unknown as { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
  const release = calls.hold('GET /api/maple/device')
  const devices = devicesPage(page)
  await devices.open()
  await expect(devices.table).toBeVisible()
  await shifts()
  const before = await devices.heading('Name').boundingBox()
  release()
  await expect(devices.rows).toHaveCount(1)
  expect(await devices.heading('Name').boundingBox()).toMatchObject({ x: before?.x, y: before?.y })
  expect(
    await page.evaluate(() => (window as unknown as { shifts: { value: number } }).shifts.value),
  ).toBeLessThan(0.01)
  const cut = await devices.rows
    .first()
    .locator('code, time, bdi')
    .evaluateAll(
      (all) =>
        all.filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
          .length,
    )
  expect(cut).toBe(0)
})

test('fifty rows of dates share the same timer as two @long', async ({ page, calls }) => {
  await page.addInitScript(() => {
    const start = window.setInterval.bind(window)
    const stop = window.clearInterval.bind(window)
    const running = new Set<unknown>()
    Object.assign(window, {
      minuteTimers: running,
      setInterval: (run: () => void, delay: number) => {
        const timer = start(run, delay)
        if (delay === 60_000) running.add(timer)
        return timer
      },
      clearInterval: (timer: number) => {
        running.delete(timer)
        stop(timer)
      },
    })
  })
  const devices = devicesPage(page)
  const timersWith = async (rows: number) => {
    fleetOf(calls, rows)
    await devices.open()
    await expect(devices.rows).toHaveCount(rows)
    // The header polls once a minute for pending approvals, after the page has loaded.
    await page.waitForLoadState('networkidle')
    return page.evaluate(
      () => (window as unknown as { minuteTimers: Set<unknown> }).minuteTimers.size,
    )
  }
  const timers = await timersWith(2)
  expect(timers).toBeGreaterThan(0)
  expect(await timersWith(50)).toBe(timers)
})

test('scrolling two hundred rows takes less than 16 ms of work per frame, and no layout', async ({
  page,
  calls,
}) => {
  fleetOf(calls, 200)
  const devices = devicesPage(page)
  await devices.open({ limit: '200' })
  await expect(devices.rows).toHaveCount(200, { timeout: 30_000 })
  const browser = await page.context().newCDPSession(page)
  // CPU time of the page's own thread, so that a busy machine does not count.
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' })
  const worked = async () => {
    const { metrics } = await browser.send('Performance.getMetrics')
    const { TaskDuration = 0, LayoutCount = 0 } = Object.fromEntries(
      metrics.map(({ name, value }) => [name, value]),
    )
    return { TaskDuration, LayoutCount }
  }
  const frames = 80
  const scroll = (count: number) =>
    page.evaluate(async (until) => {
      for (let frame = 1; frame <= until; frame += 1) {
        scrollTo({ top: frame * 75, behavior: 'instant' })
        await new Promise(requestAnimationFrame)
      }
    }, count)
  await scroll(1)
  const before = await worked()
  await scroll(frames)
  const after = await worked()
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(5000)
  expect((after.TaskDuration - before.TaskDuration) / frames).toBeLessThan(0.016)
  expect(after.LayoutCount - before.LayoutCount).toBeLessThan(5)
})

for (const colorScheme of ['light', 'dark'] as const)
  test(`menus and filters pass the accessibility check, ${colorScheme}`, async ({
    page,
    calls,
  }) => {
    await page.emulateMedia({ colorScheme })
    const { name } = fleetOf(calls, 2)
    const devices = devicesPage(page)
    await devices.open({ state: 'pending,foo' })
    await expect(devices.rows).toHaveCount(2)
    await devices.view.click()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await devices
      .row(name(0))
      .getByRole('button', { name: /^Actions/ })
      .click()
    await expectAccessible(page)
  })

test('the list says how many devices are waiting, links to them, and accepts them all after one confirmation', async ({
  page,
  calls,
}) => {
  const { devices: fleet } = fleetOf(calls, 5)
  const waiting = fleet.slice(0, 3)
  for (const device of waiting) device.state = 'quarantined'
  const id = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
  const bulk = {
    id,
    filter: { state: 'quarantined' },
    change: { action: 'accept' as const },
    jobId: null,
    state: 'completed' as const,
    total: 3,
    changed: 3,
    unchanged: 0,
    refused: 0,
    hasResults: true,
    revertsBulkId: null,
    revertsImportId: null,
    overwrites: false,
    revertedBy: null,
    rights: { revert: null, continue: 'bulk_complete' as const },
    createdBy: null,
    createdAt: '2026-03-01T09:30:00.000000Z',
  }
  calls.answer({
    'POST /api/maple/device/bulk': () => {
      for (const device of waiting) device.state = 'accepted'
      return { ...bulk, state: 'queued' as const, total: null, changed: 0 }
    },
    'GET /api/maple/device/bulk/{id}': bulk,
  })
  const list = devicesPage(page)
  await list.open()
  const line = page.getByRole('region', { name: 'Waiting to be accepted' })
  await expect(line).toContainText('3 devices wait')
  await expectAccessible(page)
  await line.getByRole('link', { name: 'Review' }).click()
  await expect(page).toHaveURL(/state=quarantined/)
  await expect(list.rows).toHaveCount(3)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  const heights = await list.rows.evaluateAll((rows) =>
    rows.map((row) => row.getBoundingClientRect().height),
  )
  // The state is next to the name.
  expect(Math.max(...heights)).toBeLessThan(60)
  await line.getByRole('button', { name: 'Accept all' }).click()
  await expect(question(page)).toContainText('Accept 3 devices?')
  await expect(question(page)).toContainText('They belong to all service providers.')
  await answer(page, 'Accept 3 devices')
  await expect(page.getByRole('dialog')).toContainText('3 changed')
  const [asked] = calls.asked('POST /api/maple/device/bulk')
  expect(asked?.body).toEqual({ filter: { state: 'quarantined' }, action: 'accept' })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect(line).toHaveCount(0)
})

test('a waiting device says why in its panel, and is accepted there with one click', async ({
  page,
  calls,
}) => {
  const { name, id, devices: fleet } = fleetOf(calls, 2)
  Object.assign(fleet[0] ?? {}, { state: 'quarantined' })
  await devicesPage(page).open({ device: id(0) })
  const { panel } = devicePanel(page)
  const notice = panel.getByRole('region', { name: 'Acceptance' })
  await expect(notice).toContainText('lets devices in only after a person has accepted them')
  await expectAccessible(page)
  // Someone else changed it meanwhile: another click must not lose anything.
  Object.assign(fleet[0] ?? {}, { revision: 7 })
  const accept = notice.getByRole('button', { name: 'Accept' })
  await accept.click()
  await expect(page.getByText(/changed meanwhile|has changed|was changed/).first()).toBeVisible()
  await accept.click()
  await expect(page.getByText(`“${name(0)}” is accepted.`)).toBeVisible()
  await expect(notice).toHaveCount(0)
  await expect(panel).toContainText('Accepted')
  // The focused button disappeared; the keyboard continues from where it was.
  expect(await focusedName(page)).not.toBe('body')
  expect(fleet[0]?.state).toBe('accepted')
})

test('a provider in the filter has its name, and a heading says why it does not sort', async ({
  page,
  calls,
}) => {
  const moment = '2026-03-01T09:30:00.000000Z'
  const provider = {
    id: 'acme',
    name: 'Acme Transit',
    state: 'active' as const,
    revision: 1,
    createdAt: moment,
    updatedAt: moment,
  }
  calls.answer({
    'GET /api/maple/service': { items: [provider], next: null, previous: null },
  })
  await page.goto('/dashboard/maple/devices?serviceId=acme&tag=gate')
  await expect(page.getByRole('button', { name: 'Service provider: Acme Transit' })).toBeVisible()
  const heading = (name: string) => page.getByRole('columnheader').getByRole('button', { name })
  await expect(heading('Name')).toHaveAccessibleDescription('Not sortable with these filters')
  await heading('Name').click({ force: true })
  await expect(page).not.toHaveURL(/sort=/)
  await expect(heading('Created')).not.toHaveAttribute('aria-disabled')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'More filters…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Service provider')).toHaveText('Acme Transit')
  await page.keyboard.press('Escape')
  await page.setViewportSize(phone)
  await page.getByRole('button', { name: 'View', exact: true }).click()
  await expect(page.getByText('The filters leave no other sorting.')).toBeVisible()
})
