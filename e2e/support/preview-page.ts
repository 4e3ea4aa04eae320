import type { Page } from '@playwright/test'

/** The page that runs a version's package, and the app in its frame. */
export function previewPage(page: Page) {
  const frame = page.frameLocator('iframe[title="The mini-app"]')
  return {
    open: ({ productId, productVersionId }: { productId: string; productVersionId: string }) =>
      page.goto(`/dashboard/cedar/mobile/${productId}/${productVersionId}/preview`),
    app: frame,
    act: (name: string) => frame.getByRole('button', { name, exact: true }).press('Enter'),
    element: page.locator('iframe[title="The mini-app"]'),
    state: (word: string) => page.getByRole('status').filter({ hasText: word }),
    lines: page.getByRole('list', { name: 'Console of the app' }),
    tab: (name: string) => page.getByRole('tab', { name }),
    button: (name: string) => page.getByRole('button', { name, exact: true }),
  }
}
