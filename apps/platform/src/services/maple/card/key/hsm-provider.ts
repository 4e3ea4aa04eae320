import { createHash } from 'node:crypto'
import { concat } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { encryptedKey, keyToEncrypt, type NewKey } from '@grove/secure-element/keys/encrypt-key'
import type { CardGreeting } from '@grove/secure-element/secure-channel/initialize-update'
import type { HostKeys } from '@grove/secure-element/secure-channel/key-source'
import { scp02DerivationData } from '@grove/secure-element/secure-channel/scp02-keys'
import { scp03DerivationData } from '@grove/secure-element/secure-channel/scp03-keys'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import type { HsmRole } from '../../../../core/hsm/hsm-messages.ts'
import type { HsmToken } from '../../../../core/hsm/hsm-token.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { bindingText, type HsmProvider, type KeyBinding, type UsedKeys } from './key-provider.ts'

const labelFor = (id: string) => `grove-${id}`

/** Keys created for other facts than those in their row are not found. */
const identifierOf = (binding: KeyBinding) =>
  new Uint8Array(createHash('sha256').update(bindingText(binding)).digest())

/**
 * Static keys in an HSM, which derives each session's keys and encrypts new keys. They were in the
 * platform's memory only when they were generated.
 */
export function hsmProvider(token: HsmToken): HsmProvider {
  const keyOf = (set: UsedKeys) => {
    // A label that was copied from another row.
    if (set.hsmLabel !== labelFor(set.id))
      throw new ProblemError('hsm_key_missing', `The HSM has no keys for the key set ${set.id}.`)
    const [label, identifier] = [set.hsmLabel, identifierOf(set)]
    return (role: HsmRole) => ({ label, identifier, role })
  }

  async function encryptNew(
    protocol: Protocol,
    added: readonly NewKey[],
    encrypt: (data: Uint8Array[]) => Promise<Uint8Array[]>,
  ) {
    const data = added.map((key) => keyToEncrypt(protocol, key))
    const encrypted = await encrypt(data)
    for (const each of data) each.fill(0)
    return added.map((key, index) => encryptedKey(key, encrypted[index] ?? new Uint8Array()))
  }

  async function scp03(
    set: UsedKeys,
    { challenge }: CardGreeting,
    hostChallenge: Uint8Array,
  ): Promise<HostKeys> {
    const key = keyOf(set)
    const length = set.keyLength
    const context = concat(hostChallenge, challenge)
    const dataOf = (purpose: 'enc' | 'mac' | 'rmac') =>
      scp03DerivationData(purpose, context, length)
    const [mac, rmac] = [dataOf('mac'), dataOf('rmac')]
    const [encBlocks, macBlocks] = await Promise.all([
      token.sign(key('enc'), dataOf('enc')),
      token.sign(key('mac'), [...mac, ...rmac]),
    ])
    const joined = (blocks: Uint8Array[]) => concat(...blocks).slice(0, length)
    return {
      enc: joined(encBlocks),
      mac: joined(macBlocks.slice(0, mac.length)),
      rmac: joined(macBlocks.slice(mac.length)),
      encryptKeys: (added) =>
        encryptNew('SCP03', added, (data) => token.encrypt('AES', key('dek'), data)),
    }
  }

  async function scp02(set: UsedKeys, { sequenceCounter }: CardGreeting): Promise<HostKeys> {
    const key = keyOf(set)
    const dataOf = (purpose: 'enc' | 'mac' | 'rmac' | 'dek') =>
      scp02DerivationData(purpose, sequenceCounter ?? new Uint8Array(2))
    const [[enc], [mac, rmac]] = await Promise.all([
      token.encrypt('DES', key('enc'), [dataOf('enc')]),
      token.encrypt('DES', key('mac'), [dataOf('mac'), dataOf('rmac')]),
    ])
    if (!enc || !mac || !rmac) throw new Error('the HSM answers as many blocks as it was given')
    return {
      enc,
      mac,
      rmac,
      encryptKeys: (added) =>
        encryptNew('SCP02', added, (data) => token.encryptDerived(key('dek'), dataOf('dek'), data)),
    }
  }

  return {
    custody: 'hsm',
    labelFor,
    async keep(binding, { enc, mac, dek }) {
      const label = labelFor(binding.id)
      const { algorithm } = binding
      const identifier = identifierOf(binding)
      await token.create({ label, identifier, algorithm, keys: { enc, mac, dek } })
      return { custody: 'hsm', sealed: null, hsmLabel: label }
    },
    async sessionKeys(set, greeting, hostChallenge) {
      const { protocol } = greeting
      if (set.protocol !== protocol)
        throw new DecodeError('wrongValue', 0, { expected: set.protocol, found: protocol })
      return protocol === 'SCP03' ? scp03(set, greeting, hostChallenge) : scp02(set, greeting)
    },
    forget: async ({ hsmLabel }) => {
      if (hsmLabel !== null) await token.destroy(hsmLabel)
    },
    check: () => token.check(),
    close: () => token.close(),
  }
}
