import type { BodyOf, Calls } from '@grove/contract'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError } from '../../../core/http/problem.ts'
import { emailErrors, normaliseEmail, refuseFields } from '../account/account-fields.ts'
import { findAccountByEmail, replacePasswordHash } from '../account/account.queries.ts'
import { hashPassword, isPasswordOf, needsRehash } from '../account/password-hash.ts'
import { assertRealm, type Auth } from '../auth.ts'
import { takePasswordAttempts } from './password-attempts.ts'
import { shareAccount } from './session.queries.ts'
import { accountDisabled, startSession, type IssuedToken } from './start-session.ts'

/** Checks a password and starts a session; a stranger learns nothing about the account. */
export async function signIn(
  auth: Auth,
  body: BodyOf<Calls['POST /api/token/password']>,
  origin: Origin,
): Promise<IssuedToken> {
  assertRealm(auth, body.provider)
  refuseFields(emailErrors(body.email))
  const email = normaliseEmail(body.email)
  const giveBackAttempts = await takePasswordAttempts(auth, email, origin)
  const account = await findAccountByEmail(auth.db, email)
  const isRight = await isPasswordOf(account?.password_hash, body.password)
  if (!account || account.password_hash === null || !isRight) throw wrongCredentials()
  await giveBackAttempts()
  if (account.disabled_at !== null) throw accountDisabled()
  const before = account.password_hash
  if (needsRehash(before))
    await replacePasswordHash(auth.db, account.id, before, await hashPassword(body.password))
  const signer = await auth.keys.signer()
  return auth.db.transaction().execute(async (tx) => {
    const now = (await shareAccount(tx, account.id))?.password_hash
    // Changed since it was checked: a new password ends every session, so none may begin by the old.
    if (now !== before && !(await isPasswordOf(now, body.password))) throw wrongCredentials()
    return startSession(auth, tx, signer, account, 'password', origin)
  })
}

const wrongCredentials = () =>
  new ProblemError('wrong_credentials', 'The email or the password is wrong.')
