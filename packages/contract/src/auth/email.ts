import { Type } from 'typebox'
import { defineCalls } from '../call.ts'
import { noContent, Strict } from '../shapes.ts'
import { Email, Password, Realm } from './shapes.ts'

const EmailToken = Type.String({ minLength: 1, maxLength: 512 })
const sent = {
  access: 'public',
  body: Strict({ email: Email, provider: Realm }),
  ...noContent,
  problems: ['too_many_attempts', 'unknown_realm', 'mail_unavailable', 'console_address_unknown'],
} as const

export const emailCalls = defineCalls('auth', {
  'POST /api/send/validateEmail': {
    summary: 'Send the mail that validates an address',
    description: 'Answers the same whether or not an account uses the address.',
    ...sent,
  },
  'POST /api/send/resetPassword': {
    summary: 'Send the mail with a link to set a new password',
    description: 'Answers the same whether or not an account uses the address.',
    ...sent,
  },
  'POST /api/user/checkEmailToken': {
    summary: 'Check whether a mailed link still works',
    description: 'Does not use the link.',
    access: 'public',
    body: Strict({ token: EmailToken, purpose: Type.Enum(['validate', 'reset']), provider: Realm }),
    ...noContent,
    problems: ['invalid_email_token', 'too_many_attempts', 'unknown_realm'],
  },
  'POST /api/user/validateEmail': {
    summary: 'Validate the address that received the link',
    access: 'public',
    body: Strict({ token: EmailToken, provider: Realm }),
    response: Type.Object({ email: Type.String() }),
    problems: ['invalid_email_token', 'too_many_attempts', 'unknown_realm'],
  },
  'POST /api/user/resetPassword': {
    summary: 'Set a new password with a mailed link',
    description: 'Ends every session of the account.',
    access: 'public',
    body: Strict({ token: EmailToken, password: Password, provider: Realm }),
    response: Type.Object({ email: Type.String() }),
    problems: ['invalid_email_token', 'too_many_attempts', 'unknown_realm'],
  },
})
