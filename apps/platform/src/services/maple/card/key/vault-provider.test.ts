import { expect, test } from 'vitest'
import type { Vault } from '../../../../core/vault/vault.ts'
import { vaultProvider } from './vault-provider.ts'

const sealed = { vaultKey: 1, wrappedKey: Buffer.alloc(0), body: Buffer.alloc(0) }
const greeting = {
  diversificationData: new Uint8Array(10),
  keyVersion: 48,
  challenge: new Uint8Array(8),
  cryptogram: new Uint8Array(8),
  sequenceCounter: new Uint8Array(2),
}

test.each([
  ['SCP02', 0],
  ['SCP03', 16],
] as const)(
  'wipes the keys of a set once those of a session of %s are made',
  async (protocol, left) => {
    const secret = Buffer.alloc(48, 7)
    // The decrypted key is checked afterwards.
    const vault = { open: async () => secret } as unknown as Vault
    const provider = vaultProvider(vault)
    const set = {
      id: 'a',
      chipId: 'b',
      version: 48,
      protocol,
      algorithm: protocol === 'SCP03' ? ('AES' as const) : ('DES' as const),
      keyLength: 16,
      custody: 'vault' as const,
      sealed,
      hsmLabel: null,
    }
    await provider.sessionKeys(set, { ...greeting, protocol }, new Uint8Array(8))
    expect([...secret].filter((byte) => byte !== 0)).toHaveLength(left)
    secret.fill(7)
    await provider.diversified?.(set, 'KDF3', { ...greeting, protocol: 'SCP03' }, new Uint8Array(8))
    expect(secret.equals(Buffer.alloc(48))).toBe(true)
  },
)
