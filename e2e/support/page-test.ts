import { expect, test as base } from './test.ts'
import type { BrowserContext } from '@playwright/test'
import type { ExternalLoginInfo } from '@grove/contract/auth/external'
import type { Profile } from '@grove/contract/auth/profile'
import { keepSignedIn } from './account.ts'
import { createAnswers, refuse, type Answers } from './answers.ts'
import { apiVersions, keys, serveConsole, sessionOf, signToken } from './console-server.ts'

export { expect }

const moment = '2026-03-01T09:30:00.000000Z'

export interface Person {
  id: string
  email: string
  name?: string
  roles: string[]
}
const person = (digit: number, name: string, ...roles: string[]): Person => ({
  id: `00000000-0000-4000-8000-00000000000${digit}`,
  email: `${name}@grove.test`,
  roles,
})
/** Who can be signed in. */
export const people = {
  admin: { ...person(1, 'admin', 'ADMIN'), name: 'Administrator' },
  developer: person(2, 'developer', 'DEVELOPER'),
  customer: person(3, 'customer', 'CUSTOMER'),
} as const

const profileOf = ({ id, email, name, roles }: Person): Profile => ({
  id,
  email,
  emailVerifiedAt: moment,
  name: name ?? null,
  locale: 'en-US',
  roles,
  hasPassword: true,
  identities: [],
  createdAt: moment,
})

const signInMethods = {
  urls: { login: '', redirect: '', callback: '' },
  realm: 'grove',
  clientId: 'grove',
  brokers: [],
  methods: ['password', 'signUp', 'emailValidation', 'passwordReset', 'account'],
  pkce: 'S256',
} satisfies ExternalLoginInfo

/** Answers that everyone gets. */
const visitors: Answers = {
  // The page contains the keys; after ten minutes it requests them.
  'GET /.well-known/jwks.json': keys,
  'GET /api/stage/auth': signInMethods,
  'GET /api/token/anonymous': refuse('forbidden'),
}

/** The calls of the dashboard's frame, whichever page it shows. */
export function frameOf(someone: Person): Answers {
  const profile = profileOf(someone)
  return {
    'GET /api/user/profile': () => profile,
    'PUT /api/user/profile': ({ body }) => Object.assign(profile, body),
    'GET /api/user/session': { items: [] },
    'POST /api/logout': null,
    'GET /api/cedar/user/provider': { items: [] },
    'GET /api/cedar/user/key': { items: [] },
    'GET /api/provider': [],
    'GET /api/provider/request': { items: [], next: null, previous: null },
    'GET /api/maple/account/own': { rights: [] },
    'GET /api/maple/approvals': { items: [], next: null, previous: null },
    'POST /api/token/refresh': () => ({
      token: { tokenType: 'Bearer', accessToken: signToken(someone), refreshToken: 'next' },
    }),
  }
}

export type Calls = ReturnType<typeof createAnswers>

interface Server {
  url: string
  /** The answers of the running test. */
  current: Calls
}

const withConsole = base.extend<object, { server: Server }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the runner reads a fixture's needs from its pattern
    async ({}, use) => {
      const nobody = createAnswers({}, apiVersions)
      const server: Server = { url: '', current: nobody }
      const { url, close } = await serveConsole((request, response) =>
        server.current.handle(request, response),
      )
      server.url = url
      await use(server)
      close()
    },
    { scope: 'worker' },
  ],
})

/** Disables prefetching, so that a test answers only what its own page requests. */
export const savingData = (context: BrowserContext) =>
  context.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true } }),
  )

/**
 * A test of the console alone: someone is signed in, and the test answers the calls of its pages that
 * `answers` does not cover.
 */
export const testAs = (someone: Person | null, answers: () => Answers = () => ({})) =>
  withConsole.extend<{ calls: Calls }>({
    baseURL: async ({ server }, use) => use(server.url),
    calls: [
      async ({ server }, use) => {
        server.current = createAnswers(
          { ...visitors, ...(someone && frameOf(someone)), ...answers() },
          apiVersions,
        )
        await use(server.current)
        expect(server.current.faults).toEqual([])
      },
      { auto: true },
    ],
    context: async ({ context, server }, use) => {
      await savingData(context)
      if (someone) await keepSignedIn(context, { storage: sessionOf(someone) }, server.url)
      await use(context)
    },
  })
