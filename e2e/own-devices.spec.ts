import { randomUUID } from 'node:crypto'
import type { Device } from '@grove/contract/maple/fleet/device'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { newDeveloper, testAs } from './support/account.ts'
import { devicesPage } from './support/devices-page.ts'
import { expectFocus } from './support/keyboard.ts'
import {
  answer,
  expectAccessible,
  expectNoOverflow,
  phone,
  question,
} from './support/page-checks.ts'
import { openStage } from './support/stage.ts'
import { expect } from './support/test.ts'

const test = testAs(newDeveloper)

test('a developer finds waiting devices, accepts one and then all, and sees no other provider’s @long', async ({
  page,
  account,
  baseURL,
}) => {
  const url = baseURL ?? ''
  const stage = await openStage(account, url)
  const neighbour = await openStage(await newDeveloper(url), url)
  const prefix = `own-${randomUUID().slice(0, 8)}`
  const add = (of: typeof stage, name: string, more: object = {}) =>
    of<Device>('/api/maple/device', {
      id: `${prefix}-${name}`,
      name: `${prefix} ${name}`,
      type: 'iot',
      state: 'quarantined',
      ...more,
    })
  const devices = devicesPage(page)
  const waiting = page.getByRole('region', { name: 'Waiting to be accepted' })
  const sound = async () => {
    await expectAccessible(page)
    await page.setViewportSize(phone)
    await expectNoOverflow(page)
    await page.setViewportSize({ width: 1440, height: 900 })
  }

  // Someone without devices sees the first step.
  await page.goto('/dashboard/iot')
  await expect(page.getByRole('heading', { name: 'No devices yet' })).toBeVisible()
  await sound()
  await page.getByRole('link', { name: 'Go to products' }).click()
  await expect(page).toHaveURL(/\/dashboard\/maple\/products/)

  const product = await stage<MapleProduct>('/api/maple/products', { name: `Gate ${prefix}` })
  const productId = product.id
  for (const name of ['a', 'b', 'c']) await add(stage, name, { productId })
  await add(stage, 'd')
  await add(stage, 'e', { state: 'accepted', tags: [prefix] })
  await add(neighbour, 'x')

  // The product's page counts its own waiting devices, and leads to the list.
  await page.goto(`/dashboard/maple/products/${productId}`)
  await expect(waiting).toContainText('3 devices are waiting to be accepted.')
  await sound()
  await page.getByRole('link', { name: 'All 3 devices' }).click()
  await expect(page).toHaveURL(/\/dashboard\/iot\?.*productId=/)
  await expect(devices.rows).toHaveCount(3)

  await page.goto('/dashboard/iot')
  await expect(devices.rows).toHaveCount(5)
  await expect(page.getByRole('button', { name: /Select a working stage/ })).toHaveCount(0)
  await expect(waiting).toContainText('4 devices wait')
  await sound()
  await waiting.getByRole('link', { name: 'Review' }).click()
  await expect(devices.filterButton('State')).toHaveText('State: To be accepted')
  await expect(devices.rows).toHaveCount(4)
  await expect(devices.total).toHaveText('4 devices')
  await expect(waiting.getByRole('link', { name: 'Review' })).toHaveCount(0)

  // One device, on its own page, which says why it waits.
  await devices.menu(`${prefix} a`, 'Page and history')
  await expect(page).toHaveURL(new RegExp(`/dashboard/maple/devices/${prefix}-a`))
  const notice = page.getByRole('region', { name: 'Acceptance' })
  await expect(notice).toContainText('It came with a claim code or a certificate')
  await sound()
  await notice.getByRole('button', { name: 'Accept' }).click()
  await expect(page.getByText('is accepted.')).toBeVisible()
  await expect(notice).toHaveCount(0)

  // Some selected ones, and then all the others.
  await page.goto('/dashboard/iot')
  await devices.select(`${prefix} b`)
  await devices.acceptSelected()
  const bulk = page.getByRole('dialog', { name: 'Accepting devices' })
  await expect(bulk).toContainText('1 of 1 done')
  await bulk.getByRole('button', { name: 'Close' }).click()
  await expect(devices.row(`${prefix} b`)).toContainText('Accepted')
  await expect(waiting).toContainText('2 devices wait')
  await waiting.getByRole('button', { name: 'Accept all' }).click()
  await expect(question(page)).toContainText('Accept 2 devices?')
  await expectAccessible(page)
  await answer(page, 'Accept 2 devices')
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('Devices are changed')
  await expect(dialog).toContainText('2 changed')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(waiting).toHaveCount(0)
  await expectFocus(page)
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await expect(devices.row(`${prefix} ${name}`)).toContainText('Accepted')

  const { items } = await neighbour<{ items: Device[] }>('/api/maple/device')
  expect(items.map(({ id, state }) => [id, state])).toEqual([[`${prefix}-x`, 'quarantined']])
})
