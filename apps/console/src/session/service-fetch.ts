import { retrySeconds } from '../api/problem.ts'

declare global {
  /** A call that `early.js` sent before the entry ran. */
  var groveEarly: { address: string; answer: Promise<Response> } | undefined
}

// The auth client rethrows the service's body, which need not hold the status and never the header.
let seconds: number | undefined
let status: number | undefined

/** `fetch` that takes the answer already on its way, and remembers what a refusal said beside its body. */
export const serviceFetch: typeof fetch = async (input, init) => {
  const response = (await earlyAnswer(input)) ?? (await fetch(input, init))
  status = response.status
  seconds = retrySeconds(response.headers.get('retry-after'))
  return response
}

/** Given once, and not when it failed: the call is then made as any other. */
async function earlyAnswer(input: RequestInfo | URL): Promise<Response | undefined> {
  const early = globalThis.groveEarly
  if (early === undefined || early.address !== input) return
  globalThis.groveEarly = undefined
  const response = await early.answer.catch(() => undefined)
  return response?.ok ? response : undefined
}

export const lastStatus = () => status
export const lastRetryAfter = () => seconds
