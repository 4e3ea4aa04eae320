import { auth } from './auth.ts'

interface FirstCall {
  address: string
  userId: string | undefined
  askedAt: number
  answer: Promise<Response | undefined>
}

/** As long as the cache takes an answer for fresh. */
const freshMs = 30_000
let first: FirstCall | undefined

const userId = () => {
  const state = auth.getState()
  return state.status === 'signedOut' ? undefined : state.session.userId
}

/** Sends a GET whose answer the page will ask for once its code has loaded. */
export function sendFirstCall(address: string, apiVersion: string) {
  const sent = auth.fetch(address, { headers: { accept: 'application/json' }, apiVersion })
  // The page makes a call that failed as any other.
  const answer = sent.then(
    (response) => (response.ok ? response : undefined),
    () => undefined,
  )
  first = { address, userId: userId(), askedAt: performance.now(), answer }
}

/** The answer to that call, once, and only for the person it was made for. */
export async function takeFirstAnswer(
  address: string,
  { method }: RequestInit,
): Promise<Response | undefined> {
  if (method !== 'GET' || first?.address !== address) return
  const call = first
  first = undefined
  if (performance.now() - call.askedAt > freshMs || call.userId !== userId()) return
  const response = await call.answer
  return call.userId === userId() ? response : undefined
}
