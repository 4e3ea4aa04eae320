import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

/**
 * Encrypts a text with AES-256-GCM under a key derived from the secret (HKDF-SHA256). `purpose`
 * separates the keys of one secret; decryption requires the same purpose.
 */
export function seal(text: string, secret: string, purpose: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, purpose), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
}

/** @throws if the secret or the purpose differs, or the text was changed. */
export function unseal(sealed: string, secret: string, purpose: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const iv = bytes.subarray(0, ivBytes)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, purpose), iv, {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  const body = decipher.update(bytes.subarray(ivBytes + tagBytes))
  return Buffer.concat([body, decipher.final()]).toString('utf8')
}

const keyOf = (secret: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `grove ${purpose}`, 32))
