import type { Page } from '@playwright/test'
import { expect } from './test.ts'

export function accountPage(page: Page) {
  const section = (name: string) => page.getByRole('region', { name, exact: true })
  const profile = section('Profile')
  const secret = section('Password')
  const linked = section('Linked accounts')
  const sessions = section('Sessions')
  return {
    open: async () => {
      await page.goto('/dashboard/cedar/account')
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    },
    profile,
    name: profile.getByRole('textbox', { name: 'Name' }),
    language: profile.getByRole('combobox'),
    save: profile.getByRole('button', { name: /^(Save|Сохранить)$/ }),
    mailLink: profile.getByRole('button', { name: /^Email me the link/ }),
    scheme: (name: string) => section('Appearance').getByRole('radio', { name }),
    secret,
    present: secret.getByLabel('Current password'),
    next: secret.getByLabel('New password'),
    changePassword: () => secret.getByRole('button', { name: 'Change the password' }).click(),
    linked,
    unlink: linked.getByRole('button', { name: /^Unlink/ }),
    sessions: sessions.getByRole('list').getByRole('listitem'),
    session: (device: string) => sessions.getByRole('listitem').filter({ hasText: device }),
    endOthers: sessions.getByRole('button', { name: 'End all others' }),
  }
}

export function detailsPage(page: Page) {
  const token = page.getByRole('region', { name: 'Access token' })
  return {
    open: () => page.goto('/dashboard/cedar/account/details'),
    /** The value next to a field of the token. */
    fact: (field: string) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(field, { exact: true }) })
        .getByRole('definition'),
    refresh: () => page.getByRole('button', { name: 'Refresh now' }).click(),
    token,
    show: () => token.getByRole('button', { name: 'Show' }).click(),
    hide: () => token.getByRole('button', { name: 'Hide' }).click(),
    copyToken: () => token.getByRole('button', { name: 'Copy the access token' }).click(),
  }
}

/** The access token of the page's tab. */
export const storedToken = (page: Page) =>
  page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.includes('/user/')) ?? ''
    return (JSON.parse(localStorage.getItem(key) ?? '{}') as { accessToken?: string }).accessToken
  })
