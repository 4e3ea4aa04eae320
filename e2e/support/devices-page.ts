import type { Page } from '@playwright/test'

const path = '/dashboard/maple/devices'

export function devicesPage(page: Page) {
  const table = page.getByRole('table', { name: 'Devices' })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const row = (name: string) => table.getByRole('row', { name, exact: true })
  const search = page.getByRole('searchbox')
  /** Returns the values of an active filter. */
  const filterButton = (name: 'Type' | 'State') =>
    page.getByRole('button', { name: new RegExp(`^${name}(:|$)`) })
  return {
    open: (query: Record<string, string> = {}) =>
      page.goto(`${path}?${new URLSearchParams(query)}`),
    table,
    row,
    rows: table.locator('tbody').getByRole('row'),
    /** The listed devices, from the top. */
    names: () =>
      table
        .locator('tbody tr')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label'))),
    search: (text: string) => search.fill(text),
    searched: search,
    filter: async (name: 'Type' | 'State', ...values: string[]) => {
      await filterButton(name).click()
      for (const value of values)
        await page.getByRole('checkbox', { name: value, exact: true }).click()
      await page.keyboard.press('Escape')
    },
    filterButton,
    removeFilter: (name: 'Type' | 'State') =>
      page.getByRole('button', { name: `Remove the filter “${name}”` }).click(),
    clear: page.getByRole('button', { name: 'Clear', exact: true }),
    view: page.getByRole('button', { name: 'View', exact: true }),
    total: page.locator('section:has(> table) > footer > output'),
    pages,
    menu: async (name: string, item: string) => {
      await row(name)
        .getByRole('button', { name: `Actions for ${name}` })
        .click()
      await page.getByRole('menuitem', { name: item }).click()
    },
    sortBy: (column: string) => table.getByRole('button', { name: column }).click(),
    heading: (column: string) => table.getByRole('columnheader', { name: column }),
    next: pages.getByRole('button', { name: 'Next' }),
    previous: pages.getByRole('button', { name: 'Previous' }),
    openDevice: (name: string) => row(name).getByRole('link', { name }).click(),
    select: (name: string) => row(name).getByRole('checkbox').check(),
    selectAll: () => page.getByRole('checkbox', { name: 'Select all on this page' }).check(),
    selected: page.getByText(/^[\d,]+ rows? selected$/),
    acceptSelected: () => page.getByRole('button', { name: 'Accept', exact: true }).click(),
    holdSelected: () => page.getByRole('button', { name: 'Put on hold…' }).click(),
    retireSelected: () => page.getByRole('button', { name: 'Retire…' }).click(),
    register: () => page.getByRole('button', { name: 'New device' }).click(),
    adminsOnly: page.getByRole('heading', { name: 'This page is for administrators' }),
  }
}

/** The panel beside the list: a device, or its form. */
export function devicePanel(page: Page) {
  const panel = page.getByRole('dialog').filter({ has: page.getByLabel('Close the panel') })
  const cplc = panel.getByRole('textbox', { name: 'CPLC' })
  return {
    panel,
    title: panel.getByRole('heading', { level: 2 }),
    close: () => panel.getByRole('button', { name: 'Close the panel' }).click(),
    next: panel.getByRole('button', { name: 'Next row' }),
    previous: panel.getByRole('button', { name: 'Previous row' }),
    editButton: panel.getByRole('button', { name: 'Edit' }),
    cancel: () => panel.getByRole('button', { name: 'Cancel' }).click(),
    edit: () => panel.getByRole('button', { name: 'Edit' }).click(),
    retireButton: panel.getByRole('button', { name: 'Retire…' }),
    detach: () => panel.getByRole('button', { name: 'Detach…' }).click(),
    name: panel.getByRole('textbox', { name: 'Name' }),
    id: panel.getByRole('textbox', { name: /^ID/ }),
    type: panel.getByRole('combobox', { name: 'Type' }),
    state: (name: string) => panel.getByRole('radio', { name, exact: true }),
    addElement: async (text: string) => {
      await panel.getByRole('button', { name: 'Add an element' }).click()
      await cplc.last().fill(text)
    },
    cplc,
    register: () => panel.getByRole('button', { name: 'Create' }).click(),
    save: () => panel.getByRole('button', { name: 'Save' }).click(),
  }
}

/** The dialog of a bulk change. */
export function bulkDialog(page: Page) {
  const dialog = page.getByRole('dialog')
  return {
    dialog,
    progress: dialog.getByRole('progressbar'),
    failures: dialog.getByRole('listitem'),
    stop: dialog.getByRole('button', { name: 'Stop' }),
    close: () => dialog.getByRole('button', { name: 'Close' }).click(),
  }
}
