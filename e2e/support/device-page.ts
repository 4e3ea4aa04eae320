import type { Page } from '@playwright/test'

type Part = 'Overview' | 'Messages' | 'Elements and security' | 'History'

/** The page of one device. */
export const devicePage = (page: Page) => ({
  openPart: (part: Part) =>
    page
      .getByRole('navigation', { name: 'Parts of the device' })
      .getByRole('link', { name: part })
      .click(),
  connection: page.getByRole('region', { name: 'Connection' }),
  secrets: page.getByRole('region', { name: 'Secrets' }),
  certificates: page.getByRole('region', { name: 'Certificates' }),
  elements: page.getByRole('region', { name: 'Secure elements' }),
  messages: page.getByRole('list', { name: 'Messages' }),
})
