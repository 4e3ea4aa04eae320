import { createHash, randomBytes } from 'node:crypto'

/** For a refresh token, a mailed link or an offer to link: 256 random bits as 43 characters. */
export const createSecretToken = (): string => randomBytes(32).toString('base64url')

/** Only this hash is stored; a fast one is enough, since 256 random bits cannot be guessed. */
export const hashSecretToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
