import { hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { readText, type Environment } from './environment.ts'
import { StartupError } from './startup-error.ts'

// 128 bits as hexadecimal; a shorter or repetitive text is a forgotten placeholder.
const shortestSecret = 32
const fewestSecretCharacters = 10

/** @throws StartupError for a secret that is easy to guess. */
export function readConfiguredSecret(env: Environment): string | undefined {
  // At least 32 random characters, the same in every process of one platform.
  const secret = readText(env, 'GROVE_SECRET')
  if (secret === undefined) return undefined
  if (secret.length < shortestSecret || new Set(secret).size < fewestSecretCharacters)
    throw new StartupError(
      'GROVE_SECRET is too easy to guess: it must be 32 random characters or more. Set it to the output of: openssl rand -hex 32',
    )
  return secret
}

/** A secret for one purpose, from which neither the platform's secret nor another one follows. */
export const deriveSecret = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `grove ${purpose}`, 32)).toString('base64url')

/** The platform's secret: `GROVE_SECRET`, else one made once in the data folder for its owner only. */
export async function readSecret(config: Config): Promise<string> {
  if (config.secret !== undefined) return config.secret
  const file = join(config.dataFolder, 'secret')
  try {
    await createOnce(file, randomBytes(32).toString('hex'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritable(file, error)
  }
  const secret = await readFile(file, 'utf8').catch((error: unknown) => {
    throw notReadable(file, error)
  })
  if (secret.length < 32)
    throw new StartupError(
      `${file} is damaged: it must hold the 64 characters made at the first start. Put it back from a copy, or set GROVE_SECRET.`,
    )
  return secret
}

// Written beside and linked into place: of two processes that start at once, one makes it and the
// other reads all of it.
async function createOnce(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, file)
  } finally {
    await unlink(draft)
  }
}

const notWritable = (file: string, cause: unknown) =>
  new StartupError(
    `${file} cannot be made. Give this user write access to the folder, or set GROVE_SECRET.`,
    { cause },
  )

const notReadable = (file: string, cause: unknown) =>
  new StartupError(
    `${file} cannot be read. Give this user read access to it, or set GROVE_SECRET.`,
    { cause },
  )
