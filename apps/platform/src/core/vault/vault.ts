import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { ProblemError } from '../http/problem.ts'
import { StartupError } from '../startup-error.ts'
import { newestOf, readVaultKeys, type VaultKeys, type VaultKeySource } from './vault-keys.ts'
import type { AcceptedKeys } from './vault-register.ts'

/** A secret encrypted under a data key, which a vault key wraps. */
export interface Sealed {
  /** The version of the vault key. */
  vaultKey: number
  wrappedKey: Buffer
  body: Buffer
}

/**
 * Encrypts secrets with AES-256-GCM. Decryption requires the binding used for encryption, so a row
 * copied over another one is useless.
 */
export interface Vault {
  seal: (secret: Uint8Array, binding: string) => Promise<Sealed>
  /** @throws ProblemError `vault_unavailable` if the vault key is missing or a different one. */
  open: (sealed: Sealed, binding: string) => Promise<Buffer>
  /** The same secret under the newest vault key; undefined if it already is. */
  rewrap: (sealed: Sealed, binding: string) => Promise<Sealed | undefined>
  /** The versions that may encrypt, newest first. */
  versions: () => Promise<number[]>
}

const ivBytes = 12
const tagBytes = 16

/** `accepted` is the database's register of keys; a command that runs beside servers has none. */
export function openVault(source: VaultKeySource, accepted: AcceptedKeys = (keys) => keys): Vault {
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
  const readSealing = async () => {
    const keys = accepted(await read())
    if (keys.size > 0) return keys
    throw new ProblemError(
      'vault_unavailable',
      'The vault keys were replaced while the platform ran: none of them is the one that this database is sealed with. Put them back.',
    )
  }
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
      const keys = await readSealing()
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
      const keys = await readSealing()
      const vaultKey = newestOf(keys)
      if (sealed.vaultKey === vaultKey) return undefined
      const dataKey = unwrap(await read(), sealed, binding)
      const wrappedKey = encrypt(keys.get(vaultKey), dataKey, binding)
      dataKey.fill(0)
      return { ...sealed, vaultKey, wrappedKey }
    },
    versions: async () => [...(await readSealing()).keys()].toSorted((a, b) => b - a),
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
