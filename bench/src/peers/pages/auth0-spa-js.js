import { createAuth0Client } from '@auth0/auth0-spa-js'

const created = createAuth0Client({
  domain: location.origin,
  clientId: 'bench',
  useRefreshTokens: true,
  cacheLocation: 'localstorage',
  authorizationParams: { redirect_uri: location.origin + location.pathname },
})

globalThis.peer = {
  async resume() {
    const auth = await created
    if (new URLSearchParams(location.search).has('code')) {
      await auth.handleRedirectCallback()
      history.replaceState(null, '', location.pathname)
    }
    return auth.isAuthenticated()
  },
  signIn: async () => (await created).loginWithRedirect(),
  signOut: async () => (await created).logout(),
  token: async () => (await created).getTokenSilently(),
}
