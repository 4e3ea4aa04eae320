import { createHash, randomBytes } from 'node:crypto'

/** For a refresh token, a mailed link or an offered one: 256 random bits as 43 characters. */
export const createSecretToken = (): string => randomBytes(32).toString('base64url')

/** What is stored: a fast hash is enough, since 256 random bits cannot be guessed. */
export const hashSecretToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
