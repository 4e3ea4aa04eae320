import argon2 from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'

// OWASP Password Storage Cheat Sheet: argon2id (the library's default), 19 MiB, two passes, one lane.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const hashPassword = (password: string): Promise<string> => argon2.hash(password, parameters)

// Verified if there is no account, so both cases take the same time. Nobody knows its password.
const dummyHash = await hashPassword(randomBytes(32).toString('base64url'))

/** Whether the password matches the hash; without a hash false, after the same work. */
export async function isPasswordOf(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const isRight = await argon2.verify(passwordHash ?? dummyHash, password)
  return isRight && typeof passwordHash === 'string'
}

/** Whether the hash was made with outdated parameters. */
export function needsRehash(passwordHash: string): boolean {
  const made = argon2.parseOptions(passwordHash)
  return (
    !passwordHash.startsWith('$argon2id$') ||
    made.memoryCost !== parameters.memoryCost ||
    made.timeCost !== parameters.timeCost ||
    made.parallelism !== parameters.parallelism
  )
}
