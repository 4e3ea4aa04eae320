import { hkdfSync, randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { readText, type Environment } from './environment.ts'
import { StartupError } from './startup-error.ts'

const secretBytes = 32

/** @throws StartupError unless it is at least 32 random bytes, in hexadecimal or base64. */
export function readConfiguredSecret(env: Environment): string | undefined {
  // 32 random bytes, the same in every process of one platform.
  const secret = readText(env, 'GROVE_SECRET')
  if (secret === undefined) return undefined
  const bytes = bytesOf(secret)
  if (bytes === undefined || isPredictable(bytes) || words.test(secret))
    throw new StartupError(
      'GROVE_SECRET is too easy to guess: it must be 32 random bytes or more, in hexadecimal or base64. Set it to the output of: openssl rand -hex 32',
    )
  return secret
}

// Long enough not to occur in random base64.
const words = /change|secret|passw|example|default|insecure|placeholder/i

function bytesOf(text: string): Buffer | undefined {
  const bytes = /^([\da-f]{2})+$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[\w+/-]+={0,2}$/.test(text)
      ? Buffer.from(text, 'base64')
      : Buffer.alloc(0)
  return bytes.length >= secretBytes ? bytes : undefined
}

/** Bytes unlikely to be random: few distinct values, a sequence, a repeated block, text. */
/** Whether bytes are unlikely to be random. */
export function isPredictable(bytes: Buffer = Buffer.alloc(0)): boolean {
  const steps = new Map<number, number>()
  for (let at = 1; at < bytes.length; at += 1) {
    const step = ((bytes[at] ?? 0) - (bytes[at - 1] ?? 0) + 256) % 256
    steps.set(step, (steps.get(step) ?? 0) + 1)
  }
  const half = Math.floor(bytes.length / 2)
  const repeats = Array.from({ length: half }, (_, index) => index + 1).some((block) =>
    bytes.subarray(block).equals(bytes.subarray(0, bytes.length - block)),
  )
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return new Set(bytes).size < 16 || Math.max(...steps.values()) > half || repeats || isText
}

/** A derived secret for one purpose, which reveals neither the platform's secret nor others. */
export const deriveSecret = (secret: string, purpose: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', `grove ${purpose}`, 32)).toString('base64url')

/**
 * The platform's secret: `GROVE_SECRET`, otherwise one generated once in the data folder, readable
 * only by its owner.
 */
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

// Written to a temporary file and linked into place: of two processes that start at once, one creates
// it and the other reads it whole.
export async function createOnce(file: string, text: string): Promise<void> {
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
    `${file} cannot be created. Give this user write access to the folder, or set GROVE_SECRET.`,
    { cause },
  )

const notReadable = (file: string, cause: unknown) =>
  new StartupError(
    `${file} cannot be read. Give this user read access to it, or set GROVE_SECRET.`,
    { cause },
  )
