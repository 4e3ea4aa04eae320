import type { AuthService } from '../auth-service.ts'
import type { SessionStorageAdapter } from '../session/storage.ts'
import type { decodeClaims } from '../session/token.ts'
import type { AuthClient, ExternalLoginInfo } from '../types.ts'
import { createExternalLogin } from './external-login.ts'
import type { ExternalLoginError } from './external-login-error.ts'

// This module is only ever imported dynamically. What it shares with the core is given to it, so
// that a bundler leaves the core in one piece.

export interface SignInContext {
  authUrl: string
  realm: string
  service: AuthService
  /** Names the service, realm and stage: another client's records are not taken. */
  scope: string
  /** This tab's storage. */
  storage: SessionStorageAdapter
  clock: () => number
  report: (error: unknown) => void
  /** Sends what signs in and stores the session; rejects with the server's body. */
  begin: (send: () => Promise<unknown>) => Promise<boolean>
  rejectWithBody: (error: unknown) => never
  decodeClaims: typeof decodeClaims
  ExternalLoginError: typeof ExternalLoginError
}

/** The calls that only a page where people sign in makes. */
export function createSignInCalls(context: SignInContext) {
  const { service, realm, rejectWithBody } = context

  const get = (path: string, parameters: Record<string, string> = {}) => {
    const query = new URLSearchParams(parameters).toString()
    return service.get(query ? `${path}?${query}` : path).catch(rejectWithBody)
  }

  async function loadInfo(path: string, parameters?: Record<string, string>) {
    const info = await get(path, parameters)
    if (isExternalLoginInfo(info)) return info
    throw new context.ExternalLoginError('unavailable')
  }

  const stageAuth = () => loadInfo('/api/stage/auth')
  const info = (broker: string) => loadInfo('/api/info', { broker, provider: realm })
  const external = createExternalLogin(context, (broker) => (broker ? info(broker) : stageAuth()))

  return {
    stageAuth,
    info,
    globalInfo: (broker) => loadInfo('/api/info/global', { broker }),
    async emailExists(email) {
      const answer = await get('/api/user/exists/email', { email, provider: realm })
      return answer === true || Object(answer).exists === true
    },
    async sendEmailValidation(email) {
      const json = { email, provider: realm }
      await service.post('/api/send/validateEmail', json).catch(rejectWithBody)
    },
    startExternalLogin: external.start,
    completeExternalLogin: external.complete,
  } satisfies Partial<AuthClient>
}

function isExternalLoginInfo(value: unknown): value is ExternalLoginInfo {
  const { urls, realm } = Object(value) as Partial<ExternalLoginInfo>
  const { login, redirect, callback } = Object(urls) as Partial<ExternalLoginInfo['urls']>
  return [login, redirect, callback, realm].every((text) => typeof text === 'string')
}
