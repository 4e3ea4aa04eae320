import type { AuthContext } from '../../context.ts'
import { passwordErrors, refuseFields } from './account-fields.ts'
import { isBreachedPassword } from './breached-password.ts'
import { isCommonPassword } from './common-password.ts'

// A shorter name is part of too many good passwords.
const shortestName = 4

/**
 * Rejects a new password that breaks the rules of spec §5, is common, contains the local part of its
 * email address, or has been breached. `path` is its field in the request.
 * @throws ProblemError `invalid_request` with `password_common`, `password_email`,
 * `password_breached` or the rules' own codes.
 */
export async function refusePassword(
  context: AuthContext,
  password: string,
  email: string | null,
  path = 'password',
): Promise<void> {
  refuseFields(passwordErrors(password).map((error) => ({ ...error, path })))
  const refuse = (code: string, message: string) => refuseFields([{ path, code, message }])
  if (await isCommonPassword(password)) refuse('password_common', 'is too easy to guess')
  if (email !== null && holdsNameOf(email, password))
    refuse('password_email', 'must not contain the name from the email address')
  if (await isBreachedPassword(context, password))
    refuse('password_breached', 'is known from a data breach')
}

function holdsNameOf(email: string, password: string): boolean {
  const name = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  return name.length >= shortestName && password.toLowerCase().includes(name)
}
