import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ProblemError } from '../http/problem.ts'
import { StartupError } from '../startup-error.ts'
import { newestOf, readVaultKeys, type VaultKeys, type VaultKeySource } from './vault-keys.ts'

/** A secret under a data key of its own, which a vault key wraps. */
export interface Sealed {
  /** The version of the vault key. */
  vaultKey: number
  wrappedKey: Buffer
  body: Buffer
}

/**
 * Seals secrets with AES-256-GCM. A secret opens only with the binding that it was sealed with, so
 * that a row copied over another one opens nothing.
 */
export interface Vault {
  seal: (secret: Uint8Array, binding: string) => Promise<Sealed>
  /** @throws ProblemError `vault_unavailable` where the vault key is missing or another. */
  open: (sealed: Sealed, binding: string) => Promise<Buffer>
  /** The same secret under the newest vault key; undefined where it is already. */
  rewrap: (sealed: Sealed, binding: string) => Promise<Sealed | undefined>
  /** The versions there are, the newest first. */
  versions: () => Promise<number[]>
}

const ivBytes = 12
const tagBytes = 16

export function openVault(source: VaultKeySource): Vault {
  const read = () =>
    readVaultKeys(source).catch((cause: unknown) => {
      throw new ProblemError(
        'vault_unavailable',
        cause instanceof StartupError
          ? cause.message
          : 'The vault keys cannot be read. Put the file of GROVE_VAULT_KEY_FILE back, or the file vault-keys of the data folder.',
        { cause },
      )
    })
  const unwrap = (keys: VaultKeys, { vaultKey, wrappedKey }: Sealed, binding: string) => {
    const key = keys.get(vaultKey)
    if (!key)
      throw new ProblemError(
        'vault_unavailable',
        `Vault key ${vaultKey} is missing, which sealed these keys. Put it back into GROVE_VAULT_KEY or the file of vault keys.`,
      )
    return decrypt(key, wrappedKey, binding, vaultKey)
  }
  return {
    async seal(secret, binding) {
      const keys = await read()
      const vaultKey = newestOf(keys)
      const dataKey = randomBytes(32)
      const sealed = {
        vaultKey,
        wrappedKey: encrypt(keys.get(vaultKey), dataKey, binding),
        body: encrypt(dataKey, secret, binding),
      }
      dataKey.fill(0)
      return sealed
    },
    async open(sealed, binding) {
      const dataKey = unwrap(await read(), sealed, binding)
      const secret = decrypt(dataKey, sealed.body, binding, sealed.vaultKey)
      dataKey.fill(0)
      return secret
    },
    async rewrap(sealed, binding) {
      const keys = await read()
      const vaultKey = newestOf(keys)
      if (sealed.vaultKey === vaultKey) return undefined
      const dataKey = unwrap(keys, sealed, binding)
      const wrappedKey = encrypt(keys.get(vaultKey), dataKey, binding)
      dataKey.fill(0)
      return { ...sealed, vaultKey, wrappedKey }
    },
    versions: async () => [...(await read()).keys()].toSorted((a, b) => b - a),
  }
}

function encrypt(key: Buffer | undefined, secret: Uint8Array, binding: string): Buffer {
  if (!key) throw new Error('a list of vault keys has its newest')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(binding))
  const body = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

function decrypt(key: Buffer, sealed: Buffer, binding: string, version: number): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  }).setAAD(Buffer.from(binding))
  decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()])
  } catch (cause) {
    throw new ProblemError(
      'vault_unavailable',
      `Vault key ${version} does not open these keys: it is not the one that sealed them, or they were changed.`,
      { cause },
    )
  }
}
