import { UserManager, WebStorageStateStore } from 'oidc-client-ts'

const manager = new UserManager({
  authority: `${location.origin}/oidc`,
  client_id: 'bench',
  redirect_uri: location.origin + location.pathname,
  scope: 'openid profile offline_access',
  // So that tabs and restarts share the session, as with the others.
  userStore: new WebStorageStateStore({ store: localStorage }),
})

globalThis.peer = {
  async resume() {
    if (new URLSearchParams(location.search).has('code')) {
      await manager.signinCallback()
      history.replaceState(null, '', location.pathname)
    }
    return (await manager.getUser()) !== null
  },
  signIn: () => manager.signinRedirect(),
  signOut: () => manager.signoutRedirect(),
  async token() {
    const user = await manager.getUser()
    const current = user?.expired ? await manager.signinSilent() : user
    return current?.access_token ?? null
  },
}
