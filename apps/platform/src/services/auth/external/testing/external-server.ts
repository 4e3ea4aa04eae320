import type { LightMyRequestResponse } from 'fastify'
import { calculatePKCECodeChallenge, randomPKCECodeVerifier } from 'openid-client'
import { randomUUID } from 'node:crypto'
import type { OpenIdProvider } from '../../settings.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { dev } from '../../../dev/index.ts'
import { auth } from '../../index.ts'
import type { IssuedToken } from '../../session/parts/start-session.ts'
import type { AuthDb, AuthTables } from '../../tables.ts'
import { password, randomAddress } from '../../testing/auth-server.ts'
import { createBrowser } from './browser.ts'

export type Form = Record<string, string>

export interface ExternalServer extends TestServer {
  db: AuthDb
  /** `http://127.0.0.1:…`: the server listens, since the embedded provider is reached over HTTP. */
  address: string
  /** Advances the platform's clock. */
  pass: (ms: number) => void
  /** Configures an additional provider, before the others. */
  add: (provider: OpenIdProvider) => void
  get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>
  /** Posts a code as a page of the console does. */
  exchange: (broker: string, form: Form, ip?: string) => Promise<LightMyRequestResponse>
  /** Chooses a sample identity in a browser; returns what the console would post. */
  choose: (identity: string) => Promise<Form>
  link: (accessToken: string, linkToken: string) => Promise<LightMyRequestResponse>
  unlink: (accessToken: string, id: string) => Promise<LightMyRequestResponse>
  account: (email?: string) => Promise<{ email: string; token: IssuedToken }>
}

export async function startExternalServer(
  providers: readonly OpenIdProvider[] = [],
): Promise<ExternalServer> {
  let offset = 0
  const server = await startTestServer([auth, dev], { now: () => Date.now() + offset })
  const { app, platform } = server
  const { settings } = await auth.open(platform)
  const add: ExternalServer['add'] = (provider) => {
    settings.openIdProviders = [provider, ...settings.openIdProviders]
  }
  providers.forEach(add)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const { host } = new URL(address)
  const redirectUrl = `${address}/login/callback`

  const get: ExternalServer['get'] = (url, headers) =>
    app.inject({ url, headers: { host, ...headers }, remoteAddress: randomAddress() })

  const asAccount = (accessToken: string) => ({ host, authorization: `Bearer ${accessToken}` })

  return {
    ...server,
    db: platform.db.withTables<AuthTables>(),
    address,
    pass: (ms) => {
      offset += ms
    },
    add,
    get,
    exchange: (broker, form, remoteAddress = randomAddress()) =>
      app.inject({
        method: 'POST',
        url: `/api/token/external/${broker}`,
        headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams({
          Provider: 'grove',
          RedirectUrl: redirectUrl,
          ...form,
        }).toString(),
        remoteAddress,
      }),
    async choose(identity) {
      const { urls, clientId } = (await get('/api/info/global?broker=sample')).json()
      const codeVerifier = randomPKCECodeVerifier()
      const nonce = randomUUID()
      const login = new URL(urls.login)
      login.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: urls.redirect,
        response_type: 'code',
        scope: 'profile offline_access openid',
        nonce,
        state: 'state',
        prompt: 'select_account consent',
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }).toString()
      const browser = createBrowser()
      const page = await browser.follow(login.href, urls.redirect)
      if (page instanceof URL) throw new Error(`No choice was offered: ${page.href}`)
      const body = new URLSearchParams({ identity })
      const back = await browser.follow(page.url, urls.redirect, { method: 'POST', body })
      if (!(back instanceof URL)) throw new Error(`The provider answered ${back.status}.`)
      const { searchParams } = back
      return {
        Code: searchParams.get('code') ?? '',
        Iss: searchParams.get('iss') ?? '',
        Nonce: nonce,
        CodeVerifier: codeVerifier,
      }
    },
    link: (accessToken, linkToken) =>
      app.inject({
        method: 'POST',
        url: '/api/user/identity',
        headers: asAccount(accessToken),
        payload: { linkToken },
      }),
    unlink: (accessToken, id) =>
      app.inject({
        method: 'DELETE',
        url: `/api/user/identity/${id}`,
        headers: asAccount(accessToken),
      }),
    async account(email = `${randomUUID()}@grove.test`) {
      const answer = await app.inject({
        method: 'POST',
        url: '/api/signup',
        payload: { email, password, provider: 'grove' },
        remoteAddress: randomAddress(),
      })
      return { email, token: answer.json().token }
    },
  }
}
