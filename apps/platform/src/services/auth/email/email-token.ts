import { invitationDays } from '@grove/contract/auth/invitation.rules'

const hour = 60 * 60 * 1000

export type EmailPurpose = 'validate' | 'reset'

/** The purpose of a mailed link. */
export type LinkPurpose = EmailPurpose | 'invite'

/** Lifetime of a mailed link. */
export const linkMs: Record<LinkPurpose, number> = {
  validate: 24 * hour,
  reset: hour,
  invite: invitationDays * 24 * hour,
}

const pages: Record<LinkPurpose, string> = {
  validate: 'email',
  reset: 'reset',
  invite: 'invitation',
}

/**
 * The page that a link opens. The token is in the fragment, which no GET carries: neither mail
 * scanners nor logs on the way see it, and it is used only when the page's button is pressed.
 */
export const linkOf = (publicOrigin: string, purpose: LinkPurpose, token: string): string =>
  `${publicOrigin}/login/${pages[purpose]}#${token}`
