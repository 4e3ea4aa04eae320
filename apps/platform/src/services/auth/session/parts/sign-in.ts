import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { atMostOfKey } from '../../../../core/at-most.ts'
import { assertRealm, type AuthContext, within } from '../../context.ts'
import { emailErrors, normaliseEmail, refuseFields } from '../../account/parts/account-fields.ts'
import { findAccountByEmail, replacePasswordHash } from '../../account/account.queries.ts'
import { hashPassword, isPasswordOf, needsRehash } from '../../account/parts/password-hash.ts'
import { networkOf } from '../../../../core/http/network.ts'
import { takePasswordAttempts } from './password-attempts.ts'
import { shareAccount } from '../session.queries.ts'
import { accountDisabled, startSession, type IssuedToken } from './start-session.ts'

// Fewer than the burst of an account in a network.
const inLine = atMostOfKey(8)

/** Checks a password and starts a session; a stranger learns nothing about the account. */
export async function signIn(
  context: AuthContext,
  actor: AnyActor,
  body: BodyOf<Calls['POST /api/token/password']>,
): Promise<IssuedToken> {
  assertRealm(context, body.provider)
  refuseFields(emailErrors(body.email))
  const email = normaliseEmail(body.email)
  // Concurrent correct passwords are counted until they are checked: they queue rather than being
  // taken for guesses.
  return inLine(`${email} ${networkOf(actor.origin.ip)}`, () =>
    checkIn(context, actor, body, email),
  )
}

async function checkIn(
  context: AuthContext,
  actor: AnyActor,
  body: BodyOf<Calls['POST /api/token/password']>,
  email: string,
): Promise<IssuedToken> {
  const giveBackAttempts = await takePasswordAttempts(context, actor, email)
  const account = await findAccountByEmail(context.db, email)
  const isRight = await isPasswordOf(account?.password_hash, body.password)
  if (!account || account.password_hash === null || !isRight) throw wrongCredentials()
  await giveBackAttempts()
  if (account.disabled_at !== null) throw accountDisabled()
  const before = account.password_hash
  if (needsRehash(before))
    await replacePasswordHash(context.db, account.id, before, await hashPassword(body.password))
  const signer = await context.keys.signer()
  return context.db.transaction().execute(async (tx) => {
    const now = (await shareAccount(tx, account.id))?.password_hash
    // Changed since it was checked: a new password ends every session, so none may start with the old
    // one.
    if (now !== before && !(await isPasswordOf(now, body.password))) throw wrongCredentials()
    return startSession(within(context, tx), actor, { signer, account, method: 'password' })
  })
}

const wrongCredentials = () =>
  new ProblemError('wrong_credentials', 'The email or the password is wrong.')
