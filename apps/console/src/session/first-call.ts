import { auth } from './auth.ts'

interface FirstCall {
  address: string
  userId: string | undefined
  sentAt: number
  answer: Promise<Response>
  isHere: boolean
}

/** As long as the cache considers an answer fresh. */
const freshMs = 30_000
let first: FirstCall | undefined

const userId = () => {
  const state = auth.getState()
  return state.status === 'signedOut' ? undefined : state.session.userId
}

/** Sends a GET that the page will need once its code has loaded. */
export function sendFirstCall(address: string, apiVersion: string) {
  const answer = auth
    .fetch(address, { headers: { accept: 'application/json' }, apiVersion })
    // Read to the end, so that the page waits for nothing more.
    .then(async (response) => new Response(await response.text(), response))
  const call = { address, userId: userId(), sentAt: Date.now(), answer, isHere: false }
  // The page that takes it receives its failure.
  answer.then(
    () => (call.isHere = true),
    () => {},
  )
  first = call
}

/** A page that requests it now need not show its skeleton. */
export const isFirstAnswerHere = () => first?.isHere === true

/**
 * Takes the answer to that call, or its failure: only once, while fresh, and by the person it was
 * sent for.
 */
export async function takeFirstAnswer(
  address: string,
  { method }: RequestInit,
): Promise<Response | undefined> {
  if (method !== 'GET' || first?.address !== address) return
  const call = first
  first = undefined
  const isFresh = Date.now() - call.sentAt < freshMs
  return isFresh && call.userId === userId() ? call.answer : undefined
}
