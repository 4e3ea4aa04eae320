import type { Finding } from './finding.ts'

/** The options of `check`; those that are texts are options of the command, too. */
export interface CheckOptions {
  /** The service's base URL. */
  url: string
  /** Sent as `provider`. */
  realm: string
  /** An account to sign in with; without one, only public calls are checked. */
  email?: string
  /** The account's password. */
  password?: string
  /** Where the service publishes its keys, relative to `url`; without it no token is verified. */
  jwksUrl?: string
  /** The `iss` that your page demands of a token; absent: any. */
  issuer?: string
  /** The `aud` that your page demands of a token; absent: any. */
  audience?: string
  /** A broker whose external login your page offers, for `info` and `globalInfo`. */
  broker?: string
  /** The service's `api-version`, '1' by default. */
  apiVersion?: string
  /**
   * The origin of the page that will use the service. Without it, `https://app.example` is tried, and
   * a service that allows no other origin at all gets a warning.
   */
  origin?: string
  /** Time limit of one call in milliseconds; 10,000 by default. */
  timeout?: number
  /** Time limit of the whole in milliseconds; 120,000 by default. The rest is skipped. */
  totalTimeout?: number
  /** Receives each finding as soon as it is made. */
  onFinding?: (finding: Finding) => void
  /** Ends the check early; what was found until then is returned. */
  signal?: AbortSignal
  /** Sends every request; default: the global `fetch`. */
  fetch?: typeof fetch
}
