import { AuthClient } from '@supabase/auth-js'

// The settings that createClient of @supabase/supabase-js passes on.
const auth = new AuthClient({
  url: `${location.origin}/supabase`,
  storageKey: 'sb-bench-auth-token',
  autoRefreshToken: true,
  persistSession: true,
  detectSessionInUrl: false,
})

const token = async () => (await auth.getSession()).data.session?.access_token ?? null

globalThis.peer = {
  resume: async () => (await token()) !== null,
  signIn: () => auth.signInWithPassword({ email: 'ann@example.com', password: 'Example2026!' }),
  signOut: () => auth.signOut(),
  token,
}
