import type { AdminSignInOptions } from './admin-sign-in.ts'

export interface AdminSettings {
  authUrl: string
  email: string
  password: string
  provider: string
}

const VARIABLES: Record<keyof AdminSettings, string> = {
  authUrl: 'GROVE_AUTH_URL',
  email: 'GROVE_ADMIN_EMAIL',
  password: 'GROVE_ADMIN_PASSWORD',
  provider: 'GROVE_AUTH_PROVIDER',
}

/** Reads each setting from the options or the environment; throws when one is missing. */
export function readSettings(options: AdminSignInOptions): AdminSettings {
  const environment = options.environment ?? processEnvironment()
  const read = (name: keyof AdminSettings) => {
    const value = options[name] ?? environment[VARIABLES[name]]
    if (value) return value
    throw new Error(`${VARIABLES[name]} is not set: the admin sign-in needs it.`)
  }
  const authUrl = read('authUrl')
  // Leave out the value: a URL may contain a secret, and errors end up in logs.
  if (!/^https?:\/\//.test(authUrl) || !URL.canParse(authUrl)) {
    throw new Error(`${VARIABLES.authUrl} must be an http or https address.`)
  }
  const { username, password: secret } = new URL(authUrl)
  // `fetch` refuses such a URL and repeats all of it in its error.
  if (username || secret) throw new Error(`${VARIABLES.authUrl} must not carry credentials.`)
  const [email, password, provider] = [read('email'), read('password'), read('provider')]
  return { authUrl, email, password, provider }
}

// Not `process` itself, whose types a consumer may lack.
function processEnvironment(): Record<string, string | undefined> {
  const { process } = globalThis as { process?: { env: Record<string, string | undefined> } }
  return process?.env ?? {}
}
