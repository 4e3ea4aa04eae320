import type { BodyOf, Calls } from '@grove/contract'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { emailErrors, normaliseEmail, refuseFields } from '../account/account-fields.ts'
import {
  findAccountByEmail,
  isKnownNetwork,
  replacePasswordHash,
} from '../account/account.queries.ts'
import { hashPassword, isPasswordOf, needsRehash } from '../account/password-hash.ts'
import { assertRealm, type Auth } from '../auth.ts'
import {
  signInsOfAccount,
  signInsOfAccountInNetwork,
  signInsOfNetwork,
} from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt, type Attempt } from '../throttle/throttle.ts'
import { startSession, type IssuedToken } from './start-session.ts'

/** Checks a password and starts a session; a stranger learns nothing about the account. */
export async function signIn(
  auth: Auth,
  body: BodyOf<Calls['POST /api/token/password']>,
  origin: Origin,
): Promise<IssuedToken> {
  assertRealm(auth, body.provider)
  refuseFields(emailErrors(body.email))
  const email = normaliseEmail(body.email)
  const attempts = await takeSignInAttempts(auth, email, networkOf(origin.ip))
  const account = await findAccountByEmail(auth.db, email)
  const isRight = await isPasswordOf(account?.password_hash, body.password)
  if (!account || !isRight)
    throw new ProblemError('wrong_credentials', 'The email or the password is wrong.')
  for (const giveBack of attempts) await giveBack()
  if (account.disabled_at !== null)
    throw new ProblemError('account_disabled', 'This account is disabled. Ask an administrator.')
  const before = account.password_hash
  if (before !== null && needsRehash(before))
    await replacePasswordHash(auth.db, account.id, before, await hashPassword(body.password))
  const signer = await auth.keys.signer()
  return auth.db
    .transaction()
    .execute((tx) => startSession(auth, tx, signer, account, 'password', origin))
}

/**
 * In this order, each only when the one before allows it: one network must not use up what an
 * account has for all networks. Keyed by what was typed, so an unknown account is limited alike.
 */
async function takeSignInAttempts(auth: Auth, email: string, network: string): Promise<Attempt[]> {
  const now = auth.now()
  const ofNetwork = await takeAttempt(auth.db, signInsOfNetwork, network, now)
  const ofBoth = await takeAttempt(auth.db, signInsOfAccountInNetwork, `${email} ${network}`, now)
  if (await isKnownNetwork(auth.db, email, network)) return [ofNetwork, ofBoth]
  return [ofNetwork, ofBoth, await takeAttempt(auth.db, signInsOfAccount, email, now)]
}
