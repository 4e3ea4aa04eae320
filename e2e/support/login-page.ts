import type { Page } from '@playwright/test'
import { password } from './test.ts'

export function loginPage(page: Page) {
  const email = page.getByRole('textbox', { name: 'Email' })
  const secret = page.getByLabel('Password', { exact: true })
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  return {
    open: (from?: string) => page.goto(from ? `/login?from=${encodeURIComponent(from)}` : '/login'),
    email,
    secret,
    signIn,
    fill: async (address: string, word = password) => {
      await email.fill(address)
      await secret.fill(word)
      await signIn.click()
    },
    broker: page.getByRole('button', { name: 'Continue with Sample identity' }),
    guest: page.getByRole('link', { name: 'Continue as guest' }),
    forgotten: page.getByRole('link', { name: 'Forgotten your password?' }),
    signUp: page.getByRole('link', { name: 'Create an account' }),
    cancelled: page.getByText('You cancelled the sign-in. Nothing has changed.'),
    offline: page.getByText('You are offline.'),
    ended: page.getByText('Your session has ended. Sign in again to continue where you left off.'),
  }
}

/** The embedded provider's page. */
export const providerPage = (page: Page) => ({
  choose: (name: 'Iris' | 'Dana') => page.getByRole('button', { name: new RegExp(name) }).click(),
  cancel: () => page.getByRole('button', { name: 'Cancel' }).click(),
  heading: page.getByRole('heading', { name: 'Choose a sample identity' }),
})
