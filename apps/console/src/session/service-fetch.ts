import { stage } from './stage.ts'

declare global {
  /** A call that `early.js` sent before the entry ran. */
  var groveEarly: { address: string; answer: Promise<Response> } | undefined
}

/** The URL of the keys that access tokens are verified with. */
export const keysAddress = stage.default.auth_jwks_url ?? '/.well-known/jwks.json'
let keysInPage = stage.auth_jwks

/** A `fetch` that uses the answer already on its way. */
export const serviceFetch: typeof fetch = async (input, init) =>
  fromPage(input) ?? (await earlyAnswer(input)) ?? fetch(input, init)

/** The keys that came with the page, once: a token signed with an unknown key causes a new request. */
function fromPage(input: RequestInfo | URL): Response | undefined {
  if (!keysInPage || input !== new URL(keysAddress, location.href).href) return
  const response = Response.json(keysInPage)
  keysInPage = undefined
  return response
}

/** Used once, and not if it failed: the call is then made like any other. */
async function earlyAnswer(input: RequestInfo | URL): Promise<Response | undefined> {
  const early = globalThis.groveEarly
  if (early === undefined || typeof input !== 'string') return
  // The client calls its own origin by path, and fetches keys by URL.
  if (early.address !== new URL(input, location.href).href) return
  globalThis.groveEarly = undefined
  const response = await early.answer.catch(() => undefined)
  return response?.ok ? response : undefined
}
