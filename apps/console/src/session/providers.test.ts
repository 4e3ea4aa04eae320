import { beforeEach, expect, test, vi } from 'vitest'

const userId = 'anna'
const generic = { id: 'generic', ownerId: userId, isDefault: true }
const first = { id: 'first', ownerId: userId, isDefault: false, mobyApiKey: '••••9f3a' }
const second = { id: 'second', ownerId: userId, isDefault: false }
const others = { id: 'others', ownerId: 'boris', isDefault: false }

const storage = new Map<string, string>()
const answer = vi.fn()
vi.stubGlobal('sessionStorage', {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, value: string) => void storage.set(key, value),
  removeItem: (key: string) => void storage.delete(key),
})
const address = { search: '', pathname: '/dashboard/maple/applets' }
vi.stubGlobal('location', address)
const roles = vi.fn(() => ['DEVELOPER'])
vi.mock('./auth.ts', () => ({
  auth: { getState: () => ({ status: 'signedIn', session: { roles: roles(), userId } }) },
}))
vi.mock('./api.ts', () => ({
  api: { cedar: { query: () => ({ queryKey: ['cedar', '/api/provider'], queryFn: answer }) } },
}))

beforeEach(() => {
  address.search = ''
  address.pathname = '/dashboard/maple/applets'
  storage.clear()
  answer.mockReset()
  vi.resetModules()
})

async function setUp(providers: object[]) {
  answer.mockResolvedValue(providers)
  const { setUpProvider } = await import('./providers.ts')
  const session = await import('./working-provider.ts')
  await setUpProvider(userId)
  return { ...session, setUpProvider }
}

test('the working provider is the first that the user owns, kept in the tab’s storage', async () => {
  const { workingProvider } = await setUp([generic, others, first, second])
  expect(workingProvider(userId)?.id).toBe('first')
  expect(JSON.parse(storage.get('grove.provider') ?? '')).toMatchObject({ userId, id: 'first' })
  // Not those of the next person who signs in here.
  expect(workingProvider('boris')).toBeUndefined()
})

test('a choice stays while the provider is theirs, and the list is requested once', async () => {
  const { chooseProvider, workingProvider, setUpProvider } = await setUp([generic, first, second])
  chooseProvider(userId, second)
  await setUpProvider(userId)
  expect(workingProvider(userId)?.id).toBe('second')
  expect(answer).toHaveBeenCalledTimes(1)
  chooseProvider(userId, { id: 'gone', isDefault: false })
  await setUpProvider(userId)
  expect(workingProvider(userId)?.id).toBe('first')
})

test('visiting a page creates no provider for an administrator who is not a developer', async () => {
  roles.mockReturnValue(['ADMIN'])
  await setUp([generic, first])
  expect(answer).not.toHaveBeenCalled()
  roles.mockReturnValue(['ADMIN', 'DEVELOPER'])
  const { workingProvider } = await setUp([generic, first])
  expect(workingProvider(userId)?.id).toBe('first')
  roles.mockReturnValue(['DEVELOPER'])
})

test('a user without a generic provider is reported in the words of the specification', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await setUp([first])
  expect(warn.mock.calls).toEqual([['no generic provider for this user']])
  warn.mockClear()
  vi.resetModules()
  await setUp([generic])
  expect(warn).not.toHaveBeenCalled()
  warn.mockRestore()
})

test('a shared URL chooses its stage, if it is one of the reader’s', async () => {
  address.search = '?stage=second'
  const { workingProvider } = await setUp([generic, first, second])
  expect(workingProvider(userId)?.id).toBe('second')
  address.search = '?stage=of-somebody-else'
  vi.resetModules()
  storage.clear()
  expect((await setUp([generic, first, second])).workingProvider(userId)?.id).toBe('first')
})

test('a URL for someone else’s stage is reported once, and only on pages of stages', async () => {
  const isMissed = async () => (await import('./stage-address.ts')).takeMissedStage()
  address.search = '?stage=second'
  await setUp([generic, first, second])
  expect(await isMissed()).toBe(false)
  vi.resetModules()
  storage.clear()
  address.search = '?stage=of-somebody-else'
  const { setUpProvider } = await setUp([generic, first, second])
  await setUpProvider(userId)
  expect([await isMissed(), await isMissed()]).toEqual([true, false])
  vi.resetModules()
  storage.clear()
  address.search = '?stage=published'
  address.pathname = '/dashboard/cedar/mobile/app/versions'
  await setUp([generic, first, second])
  expect(await isMissed()).toBe(false)
})

test('a URL opened in a tab with another stage takes effect from the first call', async () => {
  const withKey = { ...second, mobyApiKey: '••••77aa' }
  await setUp([generic, first, withKey])
  vi.resetModules()
  answer.mockResolvedValue([generic, first, withKey])
  address.search = '?stage=second'
  const { withStage } = await import('./stage-header.ts')
  expect(await withStage({})).toEqual({ headers: { 'working-stage': 'second' } })
  // A later choice stays.
  const session = await import('./working-provider.ts')
  session.chooseProvider(userId, first)
  expect(await withStage({})).toEqual({ headers: { 'working-stage': 'first' } })
})

test('a URL is applied although the router has dropped the stage from it', async () => {
  const name = 'https://grove.test/dashboard/maple/applets?stage=second'
  const entries = vi
    .spyOn(performance, 'getEntriesByType')
    .mockReturnValue([{ type: 'navigate', name } as PerformanceNavigationTiming])
  expect((await setUp([generic, first, second])).workingProvider(userId)?.id).toBe('second')
  entries.mockRestore()
})

test('a reload keeps the stage that was chosen after the URL was opened', async () => {
  await setUp([generic, first, second])
  vi.resetModules()
  const entries = vi
    .spyOn(performance, 'getEntriesByType')
    .mockReturnValue([
      { type: 'reload', name: 'https://grove.test/?stage=second' } as PerformanceNavigationTiming,
    ])
  expect((await setUp([generic, first, second])).workingProvider(userId)?.id).toBe('first')
  entries.mockRestore()
})

test('a URL whose `stage` parameter means something else keeps the chosen stage', async () => {
  const { chooseProvider } = await setUp([generic, first, second])
  chooseProvider(userId, second)
  vi.resetModules()
  address.search = '?stage=published'
  expect((await setUp([generic, first, second])).workingProvider(userId)?.id).toBe('second')
})
