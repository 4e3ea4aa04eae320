import { auth } from './auth.ts'

interface FirstCall {
  address: string
  userId: string | undefined
  sentAt: number
  answer: Promise<Response>
  isHere: boolean
}

/** As long as the cache takes an answer for fresh. */
const freshMs = 30_000
let first: FirstCall | undefined

const userId = () => {
  const state = auth.getState()
  return state.status === 'signedOut' ? undefined : state.session.userId
}

/** Sends a GET that the page will ask for once its code has loaded. */
export function sendFirstCall(address: string, apiVersion: string) {
  const answer = auth
    .fetch(address, { headers: { accept: 'application/json' }, apiVersion })
    // Read to its end, so that the page waits for nothing more.
    .then(async (response) => new Response(await response.text(), response))
  const call = { address, userId: userId(), sentAt: Date.now(), answer, isHere: false }
  // The page that takes it hears of its failure.
  answer.then(
    () => (call.isHere = true),
    () => {},
  )
  first = call
}

/** A page that asks now need not show its skeleton. */
export const isFirstAnswerHere = () => first?.isHere === true

/** The answer to that call, or its failure: once, soon, and to the person it was sent for. */
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
