import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import type { Account } from './account.ts'
import { createApp, createVersion, miniAppZip, switchVersion, type Titles } from './catalogue.ts'

/** Title prefix of one test, so that a search finds only its apps. */
export const newTitle = () => `t${randomUUID().slice(0, 8)}`

/** An app with a live version. */
export async function publish(account: Account, titles: Titles): Promise<ProductVersion> {
  const product = await createApp(account, titles)
  const version = await createVersion(account, product, '1.0.0', await miniAppZip())
  return switchVersion(account, version, true)
}

/** The start page with an app's details over it. */
export function startPage(page: Page) {
  const catalogue = page.getByRole('region', { name: /^(Mini-apps|Мини[-‑]приложения)$/ })
  const details = page.getByRole('dialog')
  return {
    open: (search: Record<string, string> = {}) => {
      const query = new URLSearchParams(search)
      return page.goto(query.size > 0 ? `/?${query}` : '/')
    },
    catalogue,
    searchBox: catalogue.getByRole('searchbox'),
    titles: () => catalogue.getByRole('heading', { level: 3 }).allTextContents(),
    card: (title: string) => catalogue.getByRole('listitem').filter({ hasText: title }),
    link: (title: string) => catalogue.getByRole('link', { name: title, exact: true }),
    next: catalogue.getByRole('link', { name: 'Next' }),
    previous: catalogue.getByRole('link', { name: 'Previous' }),
    problem: catalogue.getByRole('alert'),
    tryAgain: catalogue.getByRole('button', { name: 'Try again' }),
    showAll: page.getByRole('button', { name: 'Show all mini-apps' }),
    details,
    title: details.getByRole('heading', { level: 2 }),
    screenshots: details.getByRole('img', { name: /^(Screenshot|Снимок экрана) \d/ }),
    copyLink: details.getByRole('button', { name: 'Copy the link' }),
    copied: details.getByRole('button', { name: 'Copied' }),
    close: details.getByRole('button', { name: /^(Close|Закрыть)$/ }),
    signIn: page.getByRole('main').getByRole('link', { name: 'Sign in' }),
    dashboard: page.getByRole('link', { name: 'Go to the dashboard' }),
    logout: page.getByRole('button', { name: 'Logout' }),
  }
}
