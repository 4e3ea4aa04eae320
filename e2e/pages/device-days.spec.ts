import { deviceStates } from '../../packages/contract/src/maple/fleet/device.rules.ts'
import { devicesOf, fleetAnswers } from '../support/fleet-answers.ts'
import { expectAccessible, expectNoOverflow, phone } from '../support/page-checks.ts'
import { expect, people, testAs } from '../support/page-test.ts'

const dayMs = 86_400_000
const days = Array.from({ length: 12 }, (_, at) =>
  new Date(Date.UTC(2026, 10, 16) + at * dayMs).toISOString().slice(0, 10),
)
const counts: Partial<Record<string, (at: number) => number | null>> = {
  online: (at) => (at === 4 ? null : 1200 + at * 31),
  offline: (at) => (at === 4 ? null : 300 - at * 7),
  accepted: (at) => (at === 4 ? null : 90 + (at % 3) * 20),
  quarantined: (at) => (at === 4 ? null : (at * 37) % 120),
  retired: (at) => (at === 4 ? null : 40 + at),
}
const test = testAs(people.admin, () => ({
  ...fleetAnswers(devicesOf(3)),
  'GET /api/maple/device/state': {
    days,
    states: deviceStates.map((state) => ({
      state,
      counts: days.map((_, at) => {
        const of = counts[state]
        return of ? of(at) : 0
      }),
    })),
  },
}))

test('devices by state are charted for each counted day, with a table', async ({ page }) => {
  await page.goto('/dashboard/maple/devices')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Devices by state over time…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Devices by state over time' })
  await expect(dialog).toContainText('Counted since Nov 16, 2026.')
  const table = dialog.getByRole('region', { name: 'Devices by state and day: table' })
  // A state that no device had gets no column, and an uncounted day has no figures.
  await expect(table.getByRole('columnheader')).toHaveText([
    'Day',
    'Accepted',
    'Online',
    'Offline',
    'To be accepted',
    'Retired',
  ])
  const row = (name: string) => table.getByRole('row', { name })
  await expect(row('Nov 27, 2026')).toContainText('1,541')
  await expect(row('Nov 20, 2026').getByRole('cell')).toHaveText(['–', '–', '–', '–', '–'])
  // The legend shows the current state, not a sum over days.
  await expect(dialog.getByText('Online 1,541')).toBeVisible()
  await expect(dialog.locator('canvas')).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, 'dialog')
  }
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
})
