import { createAuthClient } from '@grove/auth-client'

const auth = createAuthClient({ authUrl: '', realm: 'bench', onError: () => {} })

globalThis.peer = {
  resume: async () => auth.getState().status !== 'signedOut',
  signIn: () =>
    auth.signIn({ email: 'ann@example.com', password: 'Example2026!', provider: 'bench' }),
  signOut: () => auth.signOut(),
  token: async () => (await auth.getAuthorization())?.replace('Bearer ', '') ?? null,
}
