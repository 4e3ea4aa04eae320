import Keycloak from 'keycloak-js'

const keycloak = new Keycloak({ url: location.origin, realm: 'bench', clientId: 'bench' })

globalThis.peer = {
  // The session iframe needs third-party cookies, which browsers refuse.
  resume: () =>
    keycloak.init({ onLoad: 'login-required', pkceMethod: 'S256', checkLoginIframe: false }),
  signIn: () => keycloak.login(),
  signOut: () => keycloak.logout(),
  async token() {
    await keycloak.updateToken(30)
    return keycloak.token ?? null
  },
}
