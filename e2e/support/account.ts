import { randomUUID } from 'node:crypto'
import { createAuthClient } from '../../packages/auth-client/src/index.ts'
import { expect, password, test } from './test.ts'

/** Someone who is signed in: in the browser of the test, and for the calls that prepare it. */
export interface Account {
  /** What the browser's local storage holds after the sign-in. */
  storage: { name: string; value: string }[]
  /** A call that must succeed, and its answer. */
  call: <Answer>(path: string, init?: CallInit) => Promise<Answer>
  fetch: (path: string, init?: RequestInit) => Promise<Response>
}

interface CallInit {
  method?: 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON, or as it is when it is a form. */
  body?: object
}

const provider = 'grove'

type Client = ReturnType<typeof createAuthClient>

/** A test whose browser is signed in as the account that is opened for it. */
export const testAs = (open: (url: string) => Promise<Account>, base: typeof test = test) =>
  base.extend<{ account: Account }>({
    account: async ({ baseURL }, use) => use(await open(baseURL ?? '')),
    storageState: async ({ account, baseURL }, use) =>
      use({ cookies: [], origins: [{ origin: baseURL ?? '', localStorage: account.storage }] }),
  })

/** A developer whom nobody else uses. */
export const newDeveloper = (url: string) => {
  const account = { email: `${randomUUID()}@grove.test`, password, provider, role: 'DEVELOPER' }
  return openAccount(url, (client) => client.signUp(account))
}

export const signedIn = (url: string, email: string) =>
  openAccount(url, (client) => client.signIn({ email, password, provider }))

/** The console's own client signs in, so that its storage is just what the console expects. */
async function openAccount(url: string, enter: (client: Client) => Promise<boolean>) {
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
  await enter(client)
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
