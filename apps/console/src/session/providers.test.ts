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
const roles = vi.fn(() => ['DEVELOPER'])
vi.mock('./auth.ts', () => ({
  auth: { getState: () => ({ status: 'signedIn', session: { roles: roles() } }) },
}))
vi.mock('./api.ts', () => ({
  api: { cedar: { query: () => ({ queryKey: ['cedar', '/api/provider'], queryFn: answer }) } },
}))

beforeEach(() => {
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
  // Not of the next person who signs in here.
  expect(workingProvider('boris')).toBeUndefined()
})

test('a choice stays while it is theirs, and the list is asked for once', async () => {
  const { chooseProvider, workingProvider, setUpProvider } = await setUp([generic, first, second])
  chooseProvider(userId, second)
  await setUpProvider(userId)
  expect(workingProvider(userId)?.id).toBe('second')
  expect(answer).toHaveBeenCalledTimes(1)
  chooseProvider(userId, { id: 'gone', isDefault: false })
  await setUpProvider(userId)
  expect(workingProvider(userId)?.id).toBe('first')
})

test('an administrator who is no developer is given no provider by a look at a page', async () => {
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
