import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { devicesOf, fleetAnswers } from '../support/fleet-answers.ts'
import { expectAccessible, expectNoOverflow } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const test = testAs(people.admin, () => fleetAnswers(devicesOf(1)))

const id = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e55'
const revertId = '0198f0a2-6a52-7c3e-9d7a-6f2d0c1b9e56'
const bulk: DeviceBulk = {
  id,
  filter: { state: 'pending', tag: 'north' },
  change: { action: 'accept' },
  jobId: null,
  state: 'completed',
  total: 63_000,
  changed: 62_990,
  unchanged: 0,
  refused: 10,
  hasResults: true,
  revertsBulkId: null,
  revertsImportId: null,
  overwrites: false,
  revertedBy: null,
  rights: { revert: null, continue: 'bulk_complete' },
  createdBy: null,
  createdAt: '2026-03-01T09:30:00.000000Z',
}
const revert: DeviceBulk = {
  ...bulk,
  id: revertId,
  filter: {},
  change: { action: 'revert' },
  state: 'running',
  changed: 500,
  refused: 0,
  revertsBulkId: id,
}

test('a bulk change says what it did, and what a revert would do, before it starts', async ({
  page,
  calls,
}) => {
  let overwrites: unknown
  calls.answer({
    'GET /api/maple/device/bulk': ({ query }) => ({
      items: [revert, bulk].filter((each) => each.id === (query['id'] ?? id)),
      next: null,
      previous: null,
    }),
    'GET /api/maple/device/bulk/{id}/revert': {
      changed: 62_988,
      unchanged: 0,
      since: 2,
      gone: 1,
      items: ['Gate 1', 'Gate 2'].map((name, at) => ({
        id: `d-${at}`,
        name,
        changes: [{ field: 'state', left: 'accepted', now: 'quarantined' }],
      })),
    },
    'POST /api/maple/device/bulk/{id}/revert': ({ body }) => {
      overwrites = body.overwrites
      return revert
    },
  })
  await page.goto('/dashboard/maple/changes')
  await expect(page.getByRole('row', { name: 'Accepted devices' })).toContainText('63,000')
  await expect(page.getByRole('row', { name: 'Accepted devices' })).toContainText(
    'State: Pending · Tags: north',
  )
  await page.goto(`/dashboard/maple/changes?change=${id}`)
  await page.getByRole('button', { name: 'Revert this change…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revert this change' })
  await expect(dialog).toContainText('62,988 devices get their former values')
  await expect(dialog.getByRole('list', { name: 'Devices changed since' })).toContainText(
    'State: Accepted → To be accepted',
  )
  await expectAccessible(page)
  await expectNoOverflow(page)
  await expect(dialog.getByRole('button', { name: 'Revert 62,988 devices' })).toBeVisible()
  await dialog.getByLabel('Give them their former values too').check()
  await dialog.getByRole('button', { name: 'Revert 62,990 devices' }).click()
  await expect(page).toHaveURL(new RegExp(`change=${revertId}`))
  expect(overwrites).toBe(true)
  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveJSProperty('value', 500)
})

test('a final change says so, and an interrupted one can be continued', async ({ page, calls }) => {
  let state: DeviceBulk['state'] = 'cancelled'
  const shown = (): DeviceBulk => ({
    ...bulk,
    change: { action: 'retire' },
    state,
    rights: {
      revert: state === 'cancelled' ? 'bulk_final' : 'bulk_running',
      continue: state === 'cancelled' ? null : 'bulk_running',
    },
  })
  calls.answer({
    'GET /api/maple/device/bulk': () => ({ items: [shown()], next: null, previous: null }),
    'POST /api/maple/device/bulk/{id}/continue': () => {
      state = 'running'
      return shown()
    },
  })
  await page.goto(`/dashboard/maple/changes?change=${id}`)
  const refused = page.getByRole('button', { name: 'Revert this change…' })
  await expect(refused).toHaveAttribute('aria-disabled', 'true')
  await refused.hover()
  await expect(page.getByRole('tooltip')).toContainText('This is final')
  await page.mouse.move(0, 0)
  await page.getByRole('button', { name: 'Continue with the rest' }).click()
  await expect(page.getByRole('button', { name: 'Cancel…' })).toBeVisible()
})
