import { expect, type Page } from '@playwright/test'

const path = '/dashboard/cedar/account/people'

export function peoplePage(page: Page) {
  const table = page.getByRole('table', { name: 'People' })
  const row = (name: string) => table.getByRole('row', { name, exact: true })
  const menu = async (name: string, item: string) => {
    await row(name)
      .getByRole('button', { name: `Actions for ${name}` })
      .click()
    return { item: page.getByRole('menuitem', { name: item }) }
  }
  const address = (query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`
  return {
    address,
    open: (query: Record<string, string> = {}) => page.goto(address(query)),
    table,
    row,
    addressOf: (id: string) => `${path}/${id}`,
    /** The title of a person's page. */
    title: page.getByRole('main').getByRole('heading', { level: 1 }),
    total: page.locator('section:has(> table) > footer > output'),
    pages: page.getByRole('navigation', { name: 'Pages' }),
    menu,
    choose: async (name: string, action: string) => (await menu(name, action)).item.click(),
    filterState: async (state: string) => {
      await page.getByRole('button', { name: /^State(:|$)/ }).click()
      await page.getByRole('radio', { name: state }).check()
      await page.keyboard.press('Escape')
    },
  }
}

/** Chooses a person in a form, by a pasted id or by an email. */
export async function choosePerson(page: Page, label: string, who: string) {
  await page.getByRole('button', { name: `${label}:` }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(who)
  const option = page.getByRole('listbox').getByRole('option')
  // One match: the search text is complete.
  await expect(option).toHaveCount(1)
  await option.click()
}
