import type { Platform } from './core/platform.ts'
import {
  makeFirstAdmin,
  type FirstStart,
  type MadeAdmin,
} from './services/auth/account-admin/make-admin.ts'
import { linkOf } from './services/auth/email/email-token.ts'
import { auth } from './services/auth/index.ts'

/**
 * Creates the administrator of `GROVE_FIRST_ADMIN` while this Grove has none; returns what to print
 * about it.
 */
export async function offerFirstAdmin(
  platform: Platform,
  address: string,
): Promise<string | undefined> {
  if (!platform.services.includes(auth.name)) return undefined
  const context = await auth.open(platform)
  const { firstAdmin } = context.settings
  if (!firstAdmin) return undefined
  const made = await makeFirstAdmin(context, firstAdmin)
  return made && sentenceOf(made, firstAdmin.email, platform.config.publicUrl ?? address)
}

/** What happened to an address whose owner is to become an administrator. */
export function sentenceOf(made: FirstStart | MadeAdmin, email: string, origin: string): string {
  switch (made.kind) {
    case 'already':
      return `${email} is an administrator already.`
    case 'changed':
      return `${email} is an administrator now, from the next sign-in on.`
    case 'created':
      return `${email} is the administrator, with the password of GROVE_FIRST_ADMIN_PASSWORD. Take it out of the environment once it was changed.`
    case 'unconfirmed':
      return `${email} has an account whose address nobody confirmed, so somebody else may have made it: it stays as it is. Confirm it with the link of its email, or take it as it is with: npm run accounts -- admin ${email} --unconfirmed`
    case 'invited':
      return `${email} becomes an administrator with this link, which works once, until ${timeOf(made.expiresAt)}:\n\n  ${linkOf(origin, 'invite', made.token)}`
    case 'offered':
      return `Nobody administers this Grove yet. An earlier start printed a link for ${email}, which works until ${timeOf(made.expiresAt)}; for another one: npm run accounts -- admin ${email}`
  }
}

const timeOf = (at: string) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
