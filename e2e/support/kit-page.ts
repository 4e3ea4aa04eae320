import type { Page } from '@playwright/test'

export interface Violation {
  directive: string
  source: string
}

/** Collects violations of the content security policy, from before the page's first script. */
export async function watchPolicy(page: Page) {
  const violations: Violation[] = []
  await page.exposeFunction('reportViolation', (violation: Violation) => violations.push(violation))
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, sourceFile, lineNumber } = event
      const report = (globalThis as unknown as { reportViolation: (v: Violation) => void })
        .reportViolation
      report({ directive: effectiveDirective, source: `${sourceFile}:${lineNumber}` })
    })
  })
  return violations
}

export function kitPage(page: Page) {
  const tree = page.getByRole('treegrid')
  return {
    open: (scheme: 'light' | 'dark' = 'light', locale: 'en-US' | 'ru-RU' = 'en-US') =>
      page.goto(`/dev/kit?scheme=${scheme}&locale=${locale}`),
    menuButton: page.getByRole('button', { name: 'Actions', exact: true }),
    menu: page.getByRole('menu', { name: 'Actions' }),
    item: (name: string) => page.getByRole('menuitem', { name }),
    combobox: (label: string) => page.getByRole('button', { name: `${label}: ` }),
    search: page.getByRole('combobox', { name: 'Search' }),
    options: (label: string) => page.getByRole('listbox', { name: label }).getByRole('option'),
    dates: (label: string) => page.getByRole('button', { name: `${label}: ` }),
    datePanel: (label: string) => page.getByRole('dialog', { name: label }),
    tab: (name: string) => page.getByRole('tab', { name }),
    tree,
    node: (name: string) => tree.getByRole('row', { name }),
    tooltip: page.getByRole('tooltip'),
  }
}
