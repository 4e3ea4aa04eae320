/** What the platform tells the console about itself (the stage configuration). */
export interface Stage {
  stage: string
  default: {
    auth_api_provider: string
    /** Unset URLs default to the origin that the page was loaded from. */
    auth_api_url?: string
    auth_jwks_url?: string
    /** PEM: access tokens are verified with it instead of a JWKS. */
    auth_public_key?: string
    /** The `client_id` for the external login of a service that does not announce one. */
    auth_client_id?: string
    /** Where the roles are in an access token: a claim, or the path to it. */
    auth_roles_claim?: readonly string[]
    /** The roles that open the dashboard, instead of DEVELOPER and ADMIN. */
    auth_dashboard_roles?: readonly string[]
    auth_admin_roles?: readonly string[]
    cedar_api_url?: string
    maple_api_url?: string
  }
  /** The keys of an authentication service that runs beside the page. */
  auth_jwks?: { keys: object[] }
  settings: { authApiVersion: string; cedarApiVersion: string; mapleApiVersion: string }
}

/**
 * The server writes the stage into the page; a plain file server leaves it at `/stage.json`. That is
 * read without a top-level await on purpose: if a module with one is imported twice, WebKit hands it
 * to the second importer before it has run (https://bugs.webkit.org/show_bug.cgi?id=242740), and
 * nothing can be shown without it anyway.
 */
function readStage(): Stage {
  const block = document.getElementById('stage')?.textContent
  if (block?.startsWith('{')) return JSON.parse(block) as Stage
  const request = new XMLHttpRequest()
  request.open('GET', '/stage.json', false)
  request.send()
  if (request.status !== 200) throw new Error(`/stage.json answered ${request.status}`)
  return JSON.parse(request.responseText) as Stage
}

export const stage = readStage()
