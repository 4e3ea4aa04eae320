import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Configuration } from 'openid-client'
import type { OpenIdProvider } from '../settings.ts'
import type { AnyActor } from '../../../core/actor.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { assertRealm, record, type AuthContext, within } from '../context.ts'
import { findAccountByEmail } from '../account/account.queries.ts'
import { addAccount } from '../account/parts/create-account.ts'
import { insertUnlessLinked } from '../identity/identity.queries.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { startSession, timeText } from '../session/parts/start-session.ts'
import type { Signer } from '../signing-key/parts/key-ring.ts'
import type { AuthDb } from '../tables.ts'
import { externalSignInsOfNetwork } from '../throttle/limits.ts'
import { takeNetworkAttempt } from '../throttle/throttle.ts'
import { describeError } from './describe-error.ts'
import { exchangeCode, readUserInfo } from './exchange-code.ts'
import { externalIdentity, type ExternalIdentity } from './external-identity.ts'
import {
  findAccountById,
  findIdentity,
  lockIdentity,
  replacePendingLink,
  touchIdentity,
} from './external.queries.ts'
import { brokerUnavailable, findProvider, type ExternalContext } from './external.ts'
import { ProviderUnavailableError } from './provider-fetch.ts'

type Answer = ResponseOf<Calls['POST /api/token/external/{broker}']>

type SignIn = BodyOf<Calls['POST /api/token/external/{broker}']> & {
  broker: string
  /** The redirect URLs that this visitor's sign-in may have used. */
  redirectUrls: readonly string[]
  log: FastifyBaseLogger
}

const linkSeconds = 15 * 60

/** Signs in the account of an external identity, creates one, or offers to link an existing one. */
export async function signInExternally(
  context: ExternalContext,
  actor: AnyActor,
  input: SignIn,
): Promise<Answer> {
  assertRealm(context, input.Provider)
  const provider = findProvider(context, input.broker)
  // An exact match: no prefix, no similar spelling, no URL that redirects there.
  if (!input.redirectUrls.includes(input.RedirectUrl)) throw signInFailed()
  const giveBack = await takeNetworkAttempt(
    context.db,
    externalSignInsOfNetwork,
    actor.origin.ip,
    context.now(),
  )
  const configuration = await context.providers.find(provider)
  if (configuration === null) throw brokerUnavailable(provider)
  const identity = await identify(context, provider, configuration, input)
  await giveBack()
  const signer = await context.keys.signer()
  return context.db
    .transaction()
    .execute((tx) => completeSignIn(within(context, tx), actor, { signer, provider, identity }))
}

/** The person at the provider; the user info of a known one is not fetched again. */
async function identify(
  context: ExternalContext,
  provider: OpenIdProvider,
  configuration: Configuration,
  { log, ...body }: SignIn,
): Promise<ExternalIdentity> {
  // For provider failures only: an unreachable database says nothing about the sign-in.
  const failed = (error: unknown): never => {
    log.warn({ broker: provider.id, ...describeError(error) }, 'An external sign-in failed')
    throw isUnavailable(error) ? brokerUnavailable(provider) : signInFailed()
  }
  const exchanged = await exchangeCode(configuration, {
    redirectUrl: body.RedirectUrl,
    code: body.Code,
    codeVerifier: body.CodeVerifier,
    nonce: body.Nonce,
    iss: body.Iss,
  }).catch(failed)
  const { claims } = exchanged
  const isKnown = await findIdentity(context.db, claims.iss, claims.sub)
  // Sign-in requests no `email` scope, so a name and an address come from here if at all.
  const isWhole = claims['email'] !== undefined && claims['name'] !== undefined
  const userInfo =
    isKnown || isWhole ? {} : await readUserInfo(configuration, exchanged).catch(failed)
  return externalIdentity(claims, userInfo)
}

interface CompletedLogin {
  signer: Signer
  provider: OpenIdProvider
  identity: ExternalIdentity
}

async function completeSignIn(
  context: AuthContext,
  actor: AnyActor,
  { signer, provider, identity }: CompletedLogin,
): Promise<Answer> {
  const tx = context.db
  const now = timeText(context.now())
  const start = async (account: { id: string; roles: readonly string[] }, identityId: string) => ({
    token: await startSession(context, actor, { signer, account, method: 'external', identityId }),
  })
  await lockIdentity(tx, identity.issuer, identity.subject)
  const known = await findIdentity(tx, identity.issuer, identity.subject)
  if (known) {
    // Lock the account first, as everything that removes an identity does, then check that the
    // identity still exists.
    const answer = await start(await findAccountById(tx, known.account_id), known.id)
    if (!(await touchIdentity(tx, known.id, now))) throw signInFailed()
    return answer
  }
  const { issuer, subject, name, locale } = identity
  const email = identity.isEmailVerified ? identity.email : null
  const roles = [provider.role]
  const emailVerifiedAt = email && now
  const account = { email, emailVerifiedAt, passwordHash: null, roles, name, locale }
  const id = await addAccount(context, actor, account)
  // Only the address can conflict.
  if (id === null) return { link: await offerLink(tx, provider, identity, context.now()) }
  const row = { id: randomUUID(), account_id: id, broker: provider.id, issuer, subject, name }
  const times = { linked_at: now, last_used_at: now }
  // Linked to another account concurrently: the next attempt signs in to that one.
  if (!(await insertUnlessLinked(tx, { ...row, email: identity.email, ...times })))
    throw signInFailed()
  const after = { broker: provider.id, issuer, subject }
  await record(tx, { id, origin: actor.origin }, 'identity.link', row.id, { after })
  return start({ id, roles }, row.id)
}

/** The address belongs to an account: its owner, once signed in, may link the identity to it. */
async function offerLink(
  tx: AuthDb,
  provider: OpenIdProvider,
  { issuer, subject, name, email }: ExternalIdentity,
  now: number,
): Promise<NonNullable<Answer['link']>> {
  const account = email === null ? undefined : await findAccountByEmail(tx, email)
  if (!account || email === null) throw signInFailed()
  const linkToken = createSecretToken()
  await replacePendingLink(tx, {
    hash: hashSecretToken(linkToken),
    account_id: account.id,
    broker: provider.id,
    issuer,
    subject,
    name,
    email,
    expires_at: timeText(now + linkSeconds * 1000),
  })
  return { linkToken, email, broker: provider.id, expiresIn: linkSeconds }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ProviderUnavailableError) return true
  return error instanceof Error && isUnavailable(error.cause)
}

/** One sentence for every reason: the log has the cause, and a stranger learns nothing from it. */
const signInFailed = () =>
  new ProblemError(
    'external_sign_in_failed',
    'The sign-in with this provider did not succeed. Start it again.',
  )
