import type { BodyOf, QueryOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { defaultSignUpRole } from '@grove/contract/auth/account.rules'
import { defaultLocale } from '@grove/contract/locale.rules'
import type { AnyActor } from '../../../core/actor.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import { ProblemError, type FieldError } from '../../../core/http/problem.ts'
import { assertRealm, type AuthContext, within } from '../context.ts'
import { queueLink } from '../email/link.ts'
import { startSession, type IssuedToken } from '../session/parts/start-session.ts'
import {
  emailQuestionsOfAll,
  emailQuestionsOfNetwork,
  signUpsOfAll,
  signUpsOfNetwork,
} from '../throttle/limits.ts'
import { takeAttempt, takeNetworkAttempt } from '../throttle/throttle.ts'
import {
  emailErrors,
  normaliseEmail,
  passwordErrors,
  refuseFields,
} from './parts/account-fields.ts'
import { findAccountByEmail } from './account.queries.ts'
import { addAccount } from './parts/create-account.ts'
import { hashPassword } from './parts/password-hash.ts'
import { refusePassword } from './parts/refuse-password.ts'

type SignUp = BodyOf<Calls['POST /api/signup']> & {
  /** The base of the link in the mail; null if unknown. */
  publicOrigin: string | null
}

/**
 * Creates an account and its first session in one transaction, with the mail that validates its
 * address if mail is configured.
 */
export async function signUp(
  context: AuthContext,
  actor: AnyActor,
  body: SignUp,
): Promise<IssuedToken> {
  assertRealm(context, body.provider)
  refuseFields([
    ...emailErrors(body.email),
    ...passwordErrors(body.password),
    ...roleErrors(context, body.role),
  ])
  await takeNetworkAttempt(context.db, signUpsOfNetwork, actor.origin.ip, context.now())
  await takeAttempt(context.db, signUpsOfAll, '', context.now())
  await refusePassword(context, body.password, body.email)
  const account = {
    email: normaliseEmail(body.email),
    // Before looking up the email: a taken one must take as long as a free one.
    passwordHash: await hashPassword(body.password),
    roles: [body.role ?? defaultSignUpRole],
    name: body.name === undefined ? null : storedName('name', body.name),
    locale: body.locale ?? defaultLocale,
  }
  const signer = await context.keys.signer()
  return context.db.transaction().execute(async (tx) => {
    const inside = within(context, tx)
    const id = await addAccount(inside, actor, account)
    if (id === null)
      throw new ProblemError(
        'sign_up_refused',
        'An account cannot be created with this email. Sign in, or use another email.',
      )
    if (context.mailer !== null && body.publicOrigin !== null)
      await queueLink(inside, actor, {
        purpose: 'validate',
        email: account.email,
        account: { id, locale: account.locale },
        publicOrigin: body.publicOrigin,
      })
    return startSession(inside, actor, {
      signer,
      account: { id, roles: account.roles },
      method: 'signUp',
    })
  })
}

function roleErrors(context: AuthContext, role: SignUp['role']): FieldError[] {
  if (role !== 'DEVELOPER' || context.settings.hasSelfServiceDevelopers) return []
  return [
    { path: 'role', code: 'role_refused', message: 'DEVELOPER is given by an administrator here' },
  ]
}

export async function emailExists(
  context: AuthContext,
  actor: AnyActor,
  query: QueryOf<Calls['GET /api/user/exists/email']>,
): Promise<boolean> {
  assertRealm(context, query.provider)
  refuseFields(emailErrors(query.email))
  await takeNetworkAttempt(context.db, emailQuestionsOfNetwork, actor.origin.ip, context.now())
  await takeAttempt(context.db, emailQuestionsOfAll, '', context.now())
  return (await findAccountByEmail(context.db, normaliseEmail(query.email))) !== undefined
}
