import { ExternalLoginError } from './external-login-error.ts'
import { createExternalLogin, type LoginProtocol } from './external-login.ts'
import type { Begin } from './begin.ts'
import type { SignInContext } from './sign-in-calls.ts'
import type { ExternalLoginInfo, StartExternalLoginOptions } from '../types.ts'

/** The announced facts that the callback of a login needs. */
interface Announced {
  callback: string
  /** The realm that the service announced. */
  provider: string
  redirect: string
}

/** External logins by PROTOCOL.md: the service announces them and exchanges their codes. */
export function createAnnouncedLogin(
  context: SignInContext & { begin: Begin },
  loadInfo: (options: StartExternalLoginOptions) => Promise<ExternalLoginInfo>,
) {
  /** A URL of the service, possibly relative to its base. */
  function resolve(address: string): string {
    try {
      const url = new URL(address, new URL(context.authUrl, globalThis.location?.href))
      // The page navigates there: a `javascript:` URL would run in it.
      if (address && /^https?:$/.test(url.protocol)) return url.href
    } catch {
      // Not a URL.
    }
    throw new ExternalLoginError('unavailable')
  }

  const protocol: LoginProtocol<Announced> = {
    async prepare(options) {
      const { urls, realm, clientId, pkce } = await loadInfo(options)
      const { redirect } = urls
      return {
        login: resolve(urls.login),
        hasPkce: pkce === 'S256',
        parameters: {
          client_id: clientId ?? options.clientId ?? realm,
          redirect_uri: redirect,
          scope: 'profile offline_access openid',
          prompt: 'select_account consent',
          kc_idp_hint: options.hint,
        },
        kept: { callback: resolve(urls.callback), provider: realm, redirect },
      }
    },
    exchange(code, { provider, redirect, callback, nonce, verifier }, iss, options) {
      const form = new URLSearchParams({ Provider: provider, RedirectUrl: redirect, Code: code })
      // Only a service that announces PKCE accepts these fields.
      if (verifier !== null) {
        form.set('CodeVerifier', verifier)
        form.set('Nonce', nonce)
        if (iss !== null) form.set('Iss', iss)
      }
      const { signal, timeout } = options
      return context.service.send(callback, { method: 'POST', body: form, signal, timeout })
    },
  }
  return createExternalLogin(context, protocol)
}
