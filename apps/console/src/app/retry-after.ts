import { retrySeconds } from '../api/problem.ts'

// The auth client rethrows the service's body, which does not hold the header.
let seconds: number | undefined

/** `fetch` that remembers how long the last refusal for too many attempts asked to wait. */
export const fetchNotingRetryAfter: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (response.status === 429) seconds = retrySeconds(response.headers.get('retry-after'))
  return response
}

export const lastRetryAfter = () => seconds
