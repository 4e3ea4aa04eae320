/** What the platform tells the console about itself (the stage configuration). */
export interface Stage {
  stage: string
  default: {
    auth_api_provider: string
    /** Addresses left unset are the origin that the page was loaded from. */
    auth_api_url?: string
    auth_jwks_url?: string
    /** PEM: access tokens are checked with it in place of a JWKS. */
    auth_public_key?: string
    /** `client_id` at the external login of a service that does not tell one. */
    auth_client_id?: string
    /** Where the roles are in an access token: a claim, or the path to it. */
    auth_roles_claim?: readonly string[]
    /** The roles that open the dashboard, in place of DEVELOPER and ADMIN. */
    auth_dashboard_roles?: readonly string[]
    cedar_api_url?: string
    maple_api_url?: string
  }
  /** The keys of an authentication service that runs beside the page. */
  auth_jwks?: { keys: object[] }
  settings: { authApiVersion: string; cedarApiVersion: string; mapleApiVersion: string }
}

/** The server writes the stage into the page; a plain file server leaves it at `/stage.json`. */
async function readStage(): Promise<Stage> {
  const block = document.getElementById('stage')?.textContent
  if (block?.startsWith('{')) return JSON.parse(block) as Stage
  const response = await fetch('/stage.json')
  if (!response.ok) throw new Error(`/stage.json answered ${response.status}`)
  return (await response.json()) as Stage
}

// Nothing awaits a chunk of ours before this settles, so a top-level await cannot deadlock.
export const stage = await readStage()
