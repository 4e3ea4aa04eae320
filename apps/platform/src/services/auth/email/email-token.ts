const hour = 60 * 60 * 1000

export type EmailPurpose = 'validate' | 'reset'

/** Lifetime of a mailed link. */
export const linkMs: Record<EmailPurpose, number> = { validate: 24 * hour, reset: hour }

/**
 * The page that a link opens. The token is in the fragment, which no GET carries: neither mail
 * scanners nor logs on the way see it, and it is used only when the page's button is pressed.
 */
export const linkOf = (publicOrigin: string, purpose: EmailPurpose, token: string): string =>
  `${publicOrigin}/login/${purpose === 'reset' ? 'reset' : 'email'}#${token}`
