import { randomUUID } from 'node:crypto'
import { signedIn, testAs, type Account } from './support/account.ts'
import { expectAccessible, expectNoOverflow, phone, tabTo } from './support/page-checks.ts'
import { expect, sample } from './support/test.ts'

const test = testAs((url) => signedIn(url, sample.admin))

async function makeDevices(account: Account, tag: string, ...places: readonly string[]) {
  for (const place of places)
    await account.call('/api/maple/device', {
      method: 'POST',
      body: { id: `${tag}-${place}`, name: `Gate ${tag} ${place}`, type: 'iot', tags: [tag] },
    })
}

test('a group by rule is created, filters the devices, and is the target of a rollout', async ({
  page,
  account,
}) => {
  const tag = `g${randomUUID().slice(0, 8)}`
  await makeDevices(account, tag, 'north', 'west', 'yard')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const panel = page.locator('[data-panel]')

  // From the list of devices, without a mouse.
  await page.goto('/dashboard/maple/devices')
  await tabTo(page, page.getByRole('link', { name: 'Groups', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Device groups')
  await expectAccessible(page)
  await button('New group').first().press('Enter')
  await expect(panel.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused()
  await page.keyboard.type(`Rule ${tag}`)
  await button('Create').click()
  await expect(panel.getByText('Set at least one condition, such as a tag.')).toBeVisible()
  await panel.getByLabel('Tags', { exact: true }).fill(tag)
  await panel.getByRole('checkbox', { name: 'IoT' }).check()
  await expectAccessible(page)
  await button('Create').click()
  await expect(panel.getByRole('region', { name: 'Devices of the group' })).toContainText(
    'Devices · 3',
  )
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await panel.getByRole('link', { name: 'Show in the list' }).click()
  const devices = page.getByRole('table', { name: 'Devices' })
  await expect(devices.locator('tbody').getByRole('row')).toHaveCount(3)
  await expect(page.getByRole('button', { name: `Group: Rule ${tag}` })).toBeVisible()
  await page.getByRole('searchbox').fill(`Gate ${tag} west`)
  await expect(devices.locator('tbody').getByRole('row')).toHaveCount(1)
  await expectAccessible(page)
  await page.setViewportSize(phone)
  await expectNoOverflow(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.goto('/dashboard/maple/rollouts?create=true')
  const form = page.getByRole('dialog', { name: 'New rollout' })
  await form.getByRole('button', { name: 'Where', exact: true }).click()
  await form.getByRole('button', { name: 'Group: any device' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(`Rule ${tag}`)
  await page.getByRole('option', { name: `Rule ${tag}` }).click()
  await expect(form).toContainText('3 devices now.')
  await expectAccessible(page)
})

test('selected devices are added to a list, which keeps them until they are removed @long', async ({
  page,
  account,
}) => {
  const tag = `l${randomUUID().slice(0, 8)}`
  await makeDevices(account, tag, 'north', 'west')
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const panel = page.locator('[data-panel]')

  await page.goto(`/dashboard/maple/devices?tag=${tag}`)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await button('Add to group…').click()
  const dialog = page.getByRole('dialog', { name: 'Add 2 devices to a group' })
  await dialog.getByRole('combobox', { name: 'Group' }).selectOption({ label: 'A new one' })
  await dialog.getByLabel('Name', { exact: true }).fill(`List ${tag}`)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog).toBeHidden()

  await page.goto(`/dashboard/maple/groups?q=List ${tag}`)
  const table = page.getByRole('table', { name: 'Device groups' })
  await table.getByRole('link', { name: `List ${tag}` }).click()
  const region = panel.getByRole('region', { name: 'Devices of the group' })
  await expect(region).toContainText('Devices · 2')
  await button(`Remove Gate ${tag} north from the group`).click()
  await expect(region.getByRole('listitem')).toHaveCount(1)
  await region.getByRole('button', { name: 'Add a device' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(`${tag}-north`)
  await page.getByRole('option', { name: `Gate ${tag} north` }).click()
  await expect(region.getByRole('listitem')).toHaveCount(2)
  await expectAccessible(page)

  await button('Edit').click()
  await panel.getByLabel('Description (optional)').fill('Those at the door')
  await button('Save').click()
  await expect(panel).toContainText('Those at the door')

  // An unfinished rollout keeps it from being deleted.
  const [list] = (
    await account.call<{ items: { id: string }[] }>(
      `/api/maple/group?q=${encodeURIComponent(`List ${tag}`)}`,
    )
  ).items
  const script = await account.call<{ id: string }>('/api/maple/scripts', {
    method: 'POST',
    body: { name: `Script ${tag}`, draft: 'log(1)' },
  })
  await account.call(`/api/maple/scripts/${script.id}/publish`, { method: 'POST', body: {} })
  const rollout = await account.call<{ id: string }>('/api/maple/rollouts', {
    method: 'POST',
    body: {
      name: `Rollout ${tag}`,
      program: { kind: 'script', id: script.id, input: {} },
      targets: { filter: { groupId: list?.id } },
      plan: {
        canaries: [],
        groups: [
          {
            by: 'rest',
            amount: 0,
            success: 90,
            errorShare: 10,
            errorMinimum: 5,
            mostErrors: null,
            pausesAfter: false,
          },
        ],
        perMinute: null,
        atOnce: 8,
        window: null,
        runMinutes: 10,
        startHours: 1,
        startsAt: null,
      },
    },
  })
  await page.goto(`/dashboard/maple/groups?group=${list?.id}`)
  await expect(button('Delete…')).toHaveAttribute('aria-disabled', 'true')
  await page.goto(`/dashboard/maple/rollouts/${rollout.id}`)
  await expect(page.getByRole('link', { name: `List ${tag}` })).toBeVisible()
  await account.call(`/api/maple/rollouts?id=${rollout.id}`, { method: 'DELETE' })

  await page.goto(`/dashboard/maple/groups?group=${list?.id}`)
  await button('Delete…').click()
  await button('Delete the group').click()
  await expect(table.getByRole('row', { name: `List ${tag}` })).toHaveCount(0)
  await page.goto(`/dashboard/maple/devices?groupId=${list?.id}`)
  await expect(page.getByRole('button', { name: 'Group: a deleted group' })).toBeVisible()
})
