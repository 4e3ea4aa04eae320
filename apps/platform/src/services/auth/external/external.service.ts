import type { BodyOf, Calls, ResponseOf } from '@grove/contract'
import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import type { Configuration } from 'openid-client'
import { audit } from '../../../core/audit.ts'
import type { OpenIdProvider } from '../../../core/config.ts'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { findAccountByEmail } from '../account/account.queries.ts'
import { addAccount } from '../account/create-account.ts'
import { assertRealm } from '../auth.ts'
import { insertUnlessLinked } from '../identity/identity.queries.ts'
import { createSecretToken, hashSecretToken } from '../secret-token.ts'
import { startSession, timeText } from '../session/start-session.ts'
import type { Signer } from '../signing-key/key-ring.ts'
import type { AuthDb } from '../tables.ts'
import { externalSignInsOfNetwork } from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt } from '../throttle/throttle.ts'
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
import { brokerUnavailable, findProvider, type External } from './external.ts'
import { ProviderUnavailableError } from './provider-fetch.ts'

type SignInBody = BodyOf<Calls['POST /api/token/external/{broker}']>
type Answer = ResponseOf<Calls['POST /api/token/external/{broker}']>

interface Visit {
  origin: Origin
  /** The redirect addresses that this visitor's sign-in may have gone through. */
  redirectUrls: readonly string[]
  log: FastifyBaseLogger
}

const linkSeconds = 15 * 60

/** Signs in the account of an external identity, creates one, or offers to link an existing one. */
export async function signInExternally(
  external: External,
  broker: string,
  body: SignInBody,
  visit: Visit,
): Promise<Answer> {
  const { auth } = external
  assertRealm(auth, body.Provider)
  const provider = findProvider(auth.config, broker)
  // Word for word: nothing that only looks like it, begins like it or leads to it.
  if (!visit.redirectUrls.includes(body.RedirectUrl)) throw signInFailed()
  const giveBack = await takeAttempt(
    auth.db,
    externalSignInsOfNetwork,
    networkOf(visit.origin.ip),
    auth.now(),
  )
  const configuration = await external.providers.find(provider)
  if (configuration === null) throw brokerUnavailable(provider)
  const identity = await identify(external, provider, configuration, body, visit.log)
  await giveBack()
  const signer = await auth.keys.signer()
  return auth.db
    .transaction()
    .execute((tx) => enter(external, tx, signer, provider, identity, visit.origin))
}

/** The person at the provider; a known one is not asked for again. */
async function identify(
  { auth }: External,
  provider: OpenIdProvider,
  configuration: Configuration,
  body: SignInBody,
  log: FastifyBaseLogger,
): Promise<ExternalIdentity> {
  // For what the provider does: a database that is away says nothing about the sign-in.
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
  const isKnown = await findIdentity(auth.db, claims.iss, claims.sub)
  // Sign-in asks for no `email` scope, so a name and an address come from here if at all.
  const isWhole = claims['email'] !== undefined && claims['name'] !== undefined
  const userInfo =
    isKnown || isWhole ? {} : await readUserInfo(configuration, exchanged).catch(failed)
  return externalIdentity(claims, userInfo)
}

async function enter(
  { auth }: External,
  tx: AuthDb,
  signer: Signer,
  provider: OpenIdProvider,
  identity: ExternalIdentity,
  origin: Origin,
): Promise<Answer> {
  const now = timeText(auth.now())
  const start = async (account: { id: string; roles: readonly string[] }) => ({
    token: await startSession(auth, tx, signer, account, 'external', origin),
  })
  await lockIdentity(tx, identity.issuer, identity.subject)
  const known = await findIdentity(tx, identity.issuer, identity.subject)
  if (known) {
    // The account first, as whatever takes an identity away does, and then whether it is still there.
    const answer = await start(await findAccountById(tx, known.account_id))
    if (!(await touchIdentity(tx, known.id, now))) throw signInFailed()
    return answer
  }
  const { issuer, subject, name, locale } = identity
  const email = identity.isEmailVerified ? identity.email : null
  const roles = [provider.role]
  const id = await addAccount(
    tx,
    { email, emailVerifiedAt: email && now, passwordHash: null, roles, name, locale },
    origin,
    auth.now(),
  )
  // Only an address can be taken.
  if (id === null) return { link: await offerLink(tx, provider, identity, auth.now()) }
  const row = { id: randomUUID(), account_id: id, broker: provider.id, issuer, subject, name }
  const times = { linked_at: now, last_used_at: now }
  // Linked to another account at this very moment: the next try signs in to that one.
  if (!(await insertUnlessLinked(tx, { ...row, email: identity.email, ...times })))
    throw signInFailed()
  await audit(tx, 'auth', {
    actor: id,
    action: 'identity.link',
    subject: row.id,
    origin,
    after: { broker: provider.id, issuer, subject },
  })
  return start({ id, roles })
}

/** The address is an account's: whoever signs in to that account may link the identity to it. */
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
