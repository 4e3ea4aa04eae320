import type { AuthService, TokenService } from '../auth-service.ts'
import type { SafeStorage } from '../session/storage.ts'
import type { abortable } from '../http/abortable.ts'
import type { authorizationOf } from '../session/session.ts'
import type { decodeClaims } from '../session/token.ts'
import type { NewEvent } from '../session/machine.ts'
import type {
  AuthClient,
  AuthClientOptions,
  CallOptions,
  ExternalLoginInfo,
  Path,
  StartExternalLoginOptions,
} from '../types.ts'
import { createAnonymousAuthorization } from './anonymous.ts'
import { createBegin, rejectWith } from './begin.ts'
import type { SessionStore } from '../session/session-store.ts'
import { ExternalLoginError } from './external-login-error.ts'

// Always imported dynamically. What it shares with the core is passed in, so that a bundler keeps the
// core in one chunk.

export interface SignInContext<Service extends TokenService = AuthService> {
  authUrl: string
  realm: string
  service: Service
  /** Identifies the service, realm and stage, so that another client's records are ignored. */
  scope: string
  /** This tab's storage. */
  storage: SafeStorage
  clock: () => number
  report: (error: unknown) => void
  store: SessionStore
  rejectWith?: AuthClientOptions['rejectWith']
  verification?: AuthClientOptions['verification']
  countSignOuts: () => number
  dispatch: (event: NewEvent) => void
  /** Like `dispatch`, after adopting what another tab stored. */
  tell: (event: NewEvent) => void
  /** Verifies the session, and each that follows it. */
  watch: () => void
  decodeClaims: typeof decodeClaims
  authorizationOf: typeof authorizationOf
  abortable: typeof abortable
}

/** The calls of a client that only sign-in pages make. */
export type SignInCalls = Pick<
  AuthClient,
  | 'signIn'
  | 'signUp'
  | 'stageAuth'
  | 'info'
  | 'globalInfo'
  | 'emailExists'
  | 'sendEmailValidation'
  | 'startExternalLogin'
  | 'completeExternalLogin'
  | 'getAnonymousAuthorization'
>

/** Creates these calls for a service that speaks PROTOCOL.md. */
export function createSignInCalls(context: SignInContext): SignInCalls {
  const { service, realm } = context
  const begin = createBegin(context)
  const reject = rejectWith(context.rejectWith)

  const get = async (path: Path, query: string, options?: CallOptions) =>
    (await service.send(path + query, options).catch(reject)).body

  async function loadInfo(
    path: Path,
    query: string,
    options?: CallOptions,
  ): Promise<ExternalLoginInfo> {
    const info = await get(path, query, options)
    if (isExternalLoginInfo(info)) return info
    throw new ExternalLoginError('unavailable')
  }

  const stageAuth = (options?: CallOptions) => loadInfo('/api/stage/auth', '', options)
  const info = (broker: string, options?: CallOptions) =>
    loadInfo('/api/info', queryOf({ broker, provider: realm }), options)
  const loadExternal = async () => {
    const { createAnnouncedLogin } = await import('./announced-login.ts')
    const load = ({ broker, signal }: StartExternalLoginOptions) =>
      broker ? info(broker, { signal }) : stageAuth({ signal })
    return createAnnouncedLogin({ ...context, begin }, load)
  }
  let loading: ReturnType<typeof loadExternal> | undefined
  // Loaded lazily: signing in with a password needs none of it.
  const external = () => {
    loading ??= loadExternal()
    // The next call retries.
    loading.catch(() => (loading = undefined))
    return loading
  }

  return {
    signIn: (body, options) => begin(() => service.post('/api/token/password', body, options)),
    signUp: (body, options) => begin(() => service.post('/api/signup', body, options)),
    stageAuth,
    info,
    globalInfo: (broker, options) => loadInfo('/api/info/global', queryOf({ broker }), options),
    async emailExists(email, options) {
      const answer = await get(
        '/api/user/exists/email',
        queryOf({ email, provider: realm }),
        options,
      )
      return answer === true || Object(answer).exists === true
    },
    async sendEmailValidation(email, options) {
      const json = { email, provider: realm }
      await service.post('/api/send/validateEmail', json, options).catch(reject)
    },
    startExternalLogin: async (options) => (await external()).start(options),
    async completeExternalLogin(address, options) {
      const login = await external().catch(context.report)
      return login ? login.complete(address, options) : false
    },
    getAnonymousAuthorization: createAnonymousAuthorization(context),
  }
}

const queryOf = (parameters: Record<string, string>) => `?${new URLSearchParams(parameters)}`

function isExternalLoginInfo(value: unknown): value is ExternalLoginInfo {
  const { urls, realm } = Object(value) as Partial<ExternalLoginInfo>
  const { login, redirect, callback } = Object(urls) as Partial<ExternalLoginInfo['urls']>
  return [login, redirect, callback, realm].every((text) => typeof text === 'string')
}
