import { diversifiedKeys, type Diversification } from '@grove/secure-element/keys/diversification'
import type { CardGreeting } from '@grove/secure-element/secure-channel/initialize-update'
import { hostKeys, type HostKeys } from '@grove/secure-element/secure-channel/key-source'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { Sealed, Vault } from '../../../../core/vault/vault.ts'
import {
  bindingText,
  type MasterBinding,
  type UsedKeys,
  type VaultProvider,
} from './key-provider.ts'

/**
 * Static keys in the database, encrypted. They are in the clear only while a session's keys are
 * derived.
 */
export function vaultProvider(vault: Vault): VaultProvider {
  return {
    custody: 'vault',
    async keep(binding, keys) {
      const secret = joined(keys)
      const sealed = await vault.seal(secret, bindingText(binding))
      secret.fill(0)
      return { custody: 'vault', sealed, hsmLabel: null }
    },
    sessionKeys: async (set, greeting, hostChallenge) =>
      onceUsed(await openSet(vault, set), greeting, hostChallenge),
    diversified: async (set, method, greeting, hostChallenge) =>
      onceDiversified(method, await openSet(vault, set), greeting, hostChallenge),
    open: (set) => openSet(vault, set),
    // The row is all there is.
    forget: async () => {},
    async keepMaster(binding, keys) {
      const secret = joined(keys)
      const sealed = await vault.seal(secret, masterText(binding))
      secret.fill(0)
      return sealed
    },
    openMaster: async (sealed, binding) => parted(await vault.open(sealed, masterText(binding))),
    rewrap: (sealed, binding) => vault.rewrap(sealed, bindingText(binding)),
    rewrapMaster: (sealed, binding) => vault.rewrap(sealed, masterText(binding)),
    keepCard: (id, keys) => sealText(vault, keys, cardText(id)),
    openCard: (sealed, id) => openText(vault, sealed, cardText(id)),
    rewrapCard: (sealed, id) => vault.rewrap(sealed, cardText(id)),
    keepText: (id, text) => sealText(vault, text, programText(id)),
    openText: (sealed, id) => openText(vault, sealed, programText(id)),
    rewrapText: (sealed, id) => vault.rewrap(sealed, programText(id)),
    versions: () => vault.versions(),
  }
}

async function openSet(vault: Vault, set: UsedKeys): Promise<KeySet> {
  if (!set.sealed) throw new Error(`key set ${set.id} has no sealed keys`)
  return parted(await vault.open(set.sealed, bindingText(set)))
}

async function sealText(vault: Vault, text: string, binding: string): Promise<Sealed> {
  const secret = Buffer.from(text)
  const sealed = await vault.seal(secret, binding)
  secret.fill(0)
  return sealed
}

async function openText(vault: Vault, sealed: Sealed, binding: string): Promise<string> {
  const secret = await vault.open(sealed, binding)
  const text = secret.toString()
  secret.fill(0)
  return text
}

const joined = ({ enc, mac, dek }: KeySet) => Buffer.concat([enc, mac, dek])

/** The same memory in three parts, so that wiping them leaves nothing. */
function parted(secret: Buffer): KeySet {
  const length = secret.length / 3
  const partOf = (index: number) =>
    new Uint8Array(secret.buffer, secret.byteOffset + index * length, length)
  return { enc: partOf(0), mac: partOf(1), dek: partOf(2) }
}

/** The keys of a session, after which the static ones are wiped. */
function onceUsed(keys: KeySet, greeting: CardGreeting, hostChallenge: Uint8Array): HostKeys {
  try {
    return hostKeys(keys, greeting, hostChallenge)
  } finally {
    keys.enc.fill(0)
    keys.mac.fill(0)
    // SCP03 encrypts new keys with the static one, for as long as the session is open.
    if (greeting.protocol === 'SCP02') keys.dek.fill(0)
  }
}

/** The keys of a session from master keys, which are wiped. */
export function onceDiversified(
  method: Diversification,
  master: KeySet,
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
): HostKeys {
  try {
    const keys = diversifiedKeys(method, master, greeting.diversificationData)
    return onceUsed(keys, greeting, hostChallenge)
  } finally {
    for (const key of [master.enc, master.mac, master.dek]) key.fill(0)
  }
}

const masterText = ({ id, algorithm }: MasterBinding) => `grove master key ${id} ${algorithm}`

const cardText = (id: string) => `grove software card ${id}`
const programText = (id: string) => `grove secret of a program ${id}`
