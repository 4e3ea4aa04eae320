import { AuthError, type ExternalLoginError } from '@grove/auth-client'
import { isExternalLoginError } from '@grove/auth-client/rules'
import { keepLink } from '../../session/pending-link.ts'
import { queryClient } from '../../api/query-client.ts'
import { auth } from '../../session/auth.ts'
import { infoQuery } from '../../session/session.ts'
import { signInProblem } from '../../session/sign-in-problem.ts'

export type LoginOutcome = { returnTo: string | undefined } & (
  | { kind: 'signedIn' }
  | { kind: 'cancelled' }
  /** The identity's email belongs to an account, whose owner has to sign in first. */
  | { kind: 'link'; email: string }
  | { kind: 'refused'; error: ExternalLoginError }
  | { kind: 'failed'; problem: unknown }
)

let outcome: Promise<LoginOutcome> | undefined

/** Completes the external login that this page was opened for; only once, however often it is called. */
export const completeLogin = (address: string) => (outcome ??= complete(address))

async function complete(address: string): Promise<LoginOutcome> {
  let answer: { returnTo: string | null; body: unknown } | undefined
  const isSignedIn = await auth.completeExternalLogin(address, {
    onAnswer: (given) => (answer = given),
  })
  const returnTo = answer?.returnTo ?? undefined
  if (isSignedIn) return { kind: 'signedIn', returnTo }
  const reason = answer?.body
  if (isExternalLoginError(reason)) {
    return reason.providerError === 'access_denied'
      ? { kind: 'cancelled', returnTo }
      : { kind: 'refused', returnTo, error: reason }
  }
  const offer = linkOffer(bodyOf(reason))
  if (!offer) return { kind: 'failed', returnTo, problem: signInProblem(reason) }
  await keepOffer(offer)
  return { kind: 'link', returnTo, email: offer.email }
}

const bodyOf = (reason: unknown) => (reason instanceof AuthError ? reason.body : reason)

interface LinkOffer {
  linkToken: string
  email: string
  broker: string
  expiresIn: number
}

function linkOffer(body: unknown): LinkOffer | undefined {
  const { link } = Object(body) as { link?: LinkOffer }
  return typeof link?.linkToken === 'string' ? link : undefined
}

async function keepOffer({ linkToken, email, broker, expiresIn }: LinkOffer) {
  const info = await queryClient.ensureQueryData(infoQuery).catch(() => undefined)
  const name = info?.brokers?.find(({ id }) => id === broker)?.name ?? broker
  keepLink({ linkToken, email, broker: name, expiresAt: Date.now() + expiresIn * 1000 })
}
