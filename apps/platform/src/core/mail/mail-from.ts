import { readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

export function readMailFrom(env: Environment): string {
  // The sender of every mail: an address, or a name with an address.
  const from = readText(env, 'MAIL_FROM') ?? 'Grove <no-reply@grove.test>'
  if (!/^[^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>$|^[^\s<>@,]+@[^\s<>@,]+$/.test(from))
    throw new StartupError(
      'MAIL_FROM contains no email address; it must look like Grove <no-reply@example.com>.',
    )
  return from
}
