import { afterAll, expect, test, vi } from 'vitest'
import type { TokenDetails } from '@grove/auth-client'

const state = { status: 'signedIn', session: { userId: 'ann', roles: ['acme-dev'] } }
const details: TokenDetails = {
  is_admin: false,
  is_developer: false,
  is_expired: false,
  is_valid: true,
  roles: ['acme-dev'],
  provider: 'acme',
  user_id: 'ann',
}
const auth = {
  dashboardRoles: ['acme-dev'],
  getState: () => state,
  tokenDetails: async () => details,
}
vi.mock('./auth.ts', () => ({ auth, beganSignedIn: true }))

// Test files share modules: this file's session must not leak.
vi.resetModules()
afterAll(() => void vi.resetModules())

const { DashboardRefused, homePage, requireDashboard } = await import('./session.ts')

test('a dashboard role of any name opens a developer’s pages', async () => {
  expect(homePage()).toBe('/dashboard')
  expect(await requireDashboard('/dashboard')).toEqual({
    userId: 'ann',
    isAdmin: false,
    isDeveloper: true,
  })
  auth.dashboardRoles = ['acme-admin']
  expect(homePage()).toBe('/')
  await expect(requireDashboard('/dashboard')).rejects.toBeInstanceOf(DashboardRefused)
})

test('login says that the session ended, even if it ended before the page had loaded', async () => {
  state.status = 'signedOut'
  vi.resetModules()
  const session = await import('./session.ts')
  await expect(session.requireDashboard('/dashboard/cedar')).rejects.toMatchObject({
    options: { to: '/login', search: { from: '/dashboard/cedar', notice: 'ended' } },
  })
})
