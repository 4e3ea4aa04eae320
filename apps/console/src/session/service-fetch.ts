import { stage } from './stage.ts'

declare global {
  /** A call that `early.js` sent before the entry ran. */
  var groveEarly: { address: string; answer: Promise<Response> } | undefined
}

/** Where the keys are that access tokens are checked with. */
export const keysAddress = stage.default.auth_jwks_url ?? '/.well-known/jwks.json'
let keysInPage = stage.auth_jwks

/** `fetch` that takes the answer already on its way. */
export const serviceFetch: typeof fetch = async (input, init) =>
  fromPage(input) ?? (await earlyAnswer(input)) ?? fetch(input, init)

/** The keys that came with the page, once: a token that they do not know asks for new ones. */
function fromPage(input: RequestInfo | URL): Response | undefined {
  if (!keysInPage || input !== new URL(keysAddress, location.href).href) return
  const response = Response.json(keysInPage)
  keysInPage = undefined
  return response
}

/** Given once, and not when it failed: the call is then made as any other. */
async function earlyAnswer(input: RequestInfo | URL): Promise<Response | undefined> {
  const early = globalThis.groveEarly
  if (early === undefined || typeof input !== 'string') return
  // The client asks its own origin by path, and for keys by address.
  if (early.address !== new URL(input, location.href).href) return
  globalThis.groveEarly = undefined
  const response = await early.answer.catch(() => undefined)
  return response?.ok ? response : undefined
}
