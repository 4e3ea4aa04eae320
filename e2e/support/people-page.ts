import type { Page } from '@playwright/test'

const path = '/dashboard/cedar/account/people'

export function peoplePage(page: Page) {
  const table = page.getByRole('table', { name: 'People' })
  const row = (name: string) => table.getByRole('row', { name, exact: true })
  const panel = page.getByRole('dialog').filter({ has: page.getByLabel('Close the panel') })
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
    panel,
    title: panel.getByRole('heading', { level: 2 }),
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
