import { createHash, randomBytes } from 'node:crypto'

const hour = 60 * 60 * 1000

export type EmailPurpose = 'validate' | 'reset'

/** How long a mailed link works. */
export const linkMs: Record<EmailPurpose, number> = { validate: 24 * hour, reset: hour }

/** 256 random bits as 43 characters. */
export const createEmailToken = (): string => randomBytes(32).toString('base64url')

/** What is stored: a fast hash is enough, since 256 random bits cannot be guessed. */
export const hashEmailToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')

/**
 * The page that a link leads to. The token is in the fragment, which no GET carries: neither a mail
 * scanner nor a log on the way has it, and it is used only when the page's button is pressed.
 */
export const linkOf = (consoleOrigin: string, purpose: EmailPurpose, token: string): string =>
  `${consoleOrigin}/login/${purpose === 'reset' ? 'reset' : 'email'}#${token}`
