import { isEmail, passwordRules, type PasswordRules } from '@grove/auth-client/rules'
import { ProblemError, type FieldError } from '../../../../core/http/problem.ts'

const ruleMessages: Record<keyof PasswordRules, string> = {
  length: 'must have 8 to 20 characters',
  lowercase: 'needs a lowercase letter',
  uppercase: 'needs an uppercase letter',
  digit: 'needs a digit',
  special: 'needs one of @$!%*?&',
  allowed: 'may hold only Latin letters, digits and @$!%*?&',
}

/** Addresses are case-insensitive, so they are stored in lower case. */
export const normaliseEmail = (email: string): string => email.toLowerCase()

export function emailErrors(email: string): FieldError[] {
  if (isEmail(email)) return []
  return [{ path: 'email', code: 'email', message: 'must be an email address: name@example.com' }]
}

/** One error for each violated rule of spec §5. */
export function passwordErrors(password: string): FieldError[] {
  const rules = passwordRules(password)
  return (Object.keys(ruleMessages) as (keyof PasswordRules)[])
    .filter((rule) => !rules[rule])
    .map((rule) => ({
      path: 'password',
      code: `password_${rule}`,
      message: ruleMessages[rule],
    }))
}

/** @throws ProblemError `invalid_request` with all errors, if any. */
export function refuseFields(errors: FieldError[]): void {
  const [first] = errors
  if (first)
    throw new ProblemError('invalid_request', `${first.path} ${first.message}.`, { errors })
}
