import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits as 43 characters. */
export const createRefreshToken = (): string => randomBytes(32).toString('base64url')

/** What is stored: a fast hash is enough, since 256 random bits cannot be guessed. */
export const hashRefreshToken = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
