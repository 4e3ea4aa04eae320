import type { BodyOf, Calls, QueryOf } from '@grove/contract'
import { defaultSignUpRole } from '@grove/contract/auth/account.rules'
import { defaultLocale } from '@grove/contract/locale.rules'
import type { Origin } from '../../../core/http/add-call.ts'
import { ProblemError, type FieldError } from '../../../core/http/problem.ts'
import { assertRealm, type Auth } from '../auth.ts'
import { queueLink } from '../email/link.ts'
import { startSession, type IssuedToken } from '../session/start-session.ts'
import { emailQuestionsOfNetwork, signUpsOfNetwork } from '../throttle/limits.ts'
import { networkOf } from '../throttle/network.ts'
import { takeAttempt } from '../throttle/throttle.ts'
import { emailErrors, normaliseEmail, passwordErrors, refuseFields } from './account-fields.ts'
import { findAccountByEmail } from './account.queries.ts'
import { addAccount } from './create-account.ts'
import { hashPassword } from './password-hash.ts'
import { refusePassword } from './refuse-password.ts'

type SignUp = BodyOf<Calls['POST /api/signup']>

/**
 * Creates an account and its first session in one transaction, with the mail that validates its
 * address where one can be sent.
 */
export async function signUp(
  auth: Auth,
  body: SignUp,
  consoleOrigin: string | null,
  origin: Origin,
): Promise<IssuedToken> {
  assertRealm(auth, body.provider)
  refuseFields([
    ...emailErrors(body.email),
    ...passwordErrors(body.password),
    ...roleErrors(auth, body.role),
  ])
  await takeAttempt(auth.db, signUpsOfNetwork, networkOf(origin.ip), auth.now())
  await refusePassword(auth, body.password, body.email)
  const account = {
    email: normaliseEmail(body.email),
    // Before the email is looked at: a taken one takes the same time as a free one.
    passwordHash: await hashPassword(body.password),
    roles: [body.role ?? defaultSignUpRole],
    name: body.name ?? null,
    locale: body.locale ?? defaultLocale,
  }
  const signer = await auth.keys.signer()
  return auth.db.transaction().execute(async (tx) => {
    const id = await addAccount(tx, account, origin, auth.now())
    if (id === null)
      throw new ProblemError(
        'sign_up_refused',
        'An account cannot be created with this email. Sign in, or use another one.',
      )
    if (auth.mailer !== null && consoleOrigin !== null)
      await queueLink(
        auth,
        tx,
        'validate',
        account.email,
        { id, locale: account.locale },
        consoleOrigin,
        origin,
      )
    return startSession(auth, tx, signer, { id, roles: account.roles }, 'signUp', origin)
  })
}

function roleErrors(auth: Auth, role: SignUp['role']): FieldError[] {
  if (role !== 'DEVELOPER' || auth.config.hasSelfServiceDevelopers) return []
  return [
    { path: 'role', code: 'role_refused', message: 'DEVELOPER is given by an administrator here' },
  ]
}

export async function emailExists(
  auth: Auth,
  query: QueryOf<Calls['GET /api/user/exists/email']>,
  origin: Origin,
): Promise<boolean> {
  assertRealm(auth, query.provider)
  refuseFields(emailErrors(query.email))
  await takeAttempt(auth.db, emailQuestionsOfNetwork, networkOf(origin.ip), auth.now())
  return (await findAccountByEmail(auth.db, normaliseEmail(query.email))) !== undefined
}
