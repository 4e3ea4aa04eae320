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
 * read without a top-level await, on purpose: of modules that wait for one, WebKit hands those that
 * are imported twice to the second importer before they have run
 * (https://bugs.webkit.org/show_bug.cgi?id=242740), and nothing can be shown without it anyway.
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
