import type { BrowserContext, Page } from '@playwright/test'
import { createAuthClient } from '../../packages/auth-client/src/index.ts'
import { takeDeveloper } from './run-folder.ts'
import { expect, password, test } from './test.ts'

/** A signed-in user: in the test's browser, and for the calls that prepare it. */
export interface Account {
  /** The browser's local storage after the sign-in. */
  storage: { name: string; value: string }[]
  /** A call that must succeed, and its response. */
  call: <Answer>(path: string, init?: CallInit) => Promise<Answer>
  fetch: (path: string, init?: RequestInit) => Promise<Response>
}

interface CallInit {
  method?: 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON, or unchanged if it is a form. */
  body?: object
}

/** A test whose browser is signed in with a new account. */
export const testAs = (open: (url: string) => Promise<Account>, base: typeof test = test) =>
  base.extend<{ account: Account }>({
    account: async ({ baseURL }, use) => use(await open(baseURL ?? '')),
    context: async ({ context, account, baseURL }, use) => {
      await keepSignedIn(context, account, baseURL ?? '')
      await use(context)
    },
  })

/** Opens a page as someone who signed in before. */
export async function openAs(
  page: Page,
  email: string,
  path = '/dashboard/cedar/mobile',
  url = process.env['GROVE_E2E_URL'] ?? '',
): Promise<void> {
  await keepSignedIn(page.context(), await signedIn(url, email), url)
  await page.goto(url + path)
}

/** The same with a developer of this test's own; returns the email. */
export async function openAsNewDeveloper(page: Page): Promise<string> {
  const email = takeDeveloper()
  await openAs(page, email)
  return email
}

/**
 * Lets the first page find the session in its storage. Playwright's own `storageState` needs an extra
 * page, which costs two processes.
 */
export const keepSignedIn = (
  context: BrowserContext,
  { storage }: Pick<Account, 'storage'>,
  origin: string,
) =>
  context.addInitScript(
    ([at, items]) => {
      const mark = 'e2e.signed-in'
      // Later the page renews the session; a frame without an origin has no storage.
      if (self.origin !== at || localStorage.getItem(mark)) return
      for (const { name, value } of [...items, { name: mark, value: 'yes' }])
        localStorage.setItem(name, value)
    },
    [origin, storage] as const,
  )

/** A developer that no other test uses. */
export const newDeveloper = (url: string) => signedIn(url, takeDeveloper())

/** The id of a person that no other test uses. */
export async function newUserId(url: string): Promise<string> {
  const developer = await newDeveloper(url)
  return (await developer.call<{ user_id: string }>('/api/user/info')).user_id
}

/** The console's own client signs in, so the storage is exactly what the console expects. */
export async function signedIn(url: string, email: string): Promise<Account> {
  const provider = 'grove'
  const storage = new Map<string, string>()
  const client = createAuthClient({
    authUrl: url,
    realm: provider,
    stage: 'local',
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => void storage.set(key, value),
      removeItem: (key) => void storage.delete(key),
    },
  })
  await client.signIn({ email, password, provider })
  const send: Account['fetch'] = async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', (await client.getAuthorization()) ?? '')
    return fetch(url + path, { ...init, headers })
  }
  const account: Account = {
    storage: [...storage].map(([name, value]) => ({ name, value })),
    fetch: send,
    call: async <Answer>(path: string, { method, body }: CallInit = {}) => {
      const isForm = body instanceof FormData
      const response = await send(path, {
        ...(method && { method }),
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
        ...(body && !isForm && { headers: { 'content-type': 'application/json' } }),
      })
      const text = await response.text()
      expect(response.ok, `${path}: ${text}`).toBe(true)
      return (text === '' ? undefined : JSON.parse(text)) as Answer
    },
  }
  return account
}
