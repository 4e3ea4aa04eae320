import type { KeyMismatch } from '@grove/contract/maple/card/key'
import { diversifications } from '@grove/contract/maple/card/key.rules'
import { readHex } from '@grove/secure-element/bytes'
import { diversifiedKeys } from '@grove/secure-element/keys/diversification'
import { fitsGreeting } from '@grove/secure-element/secure-channel/card-cryptogram'
import type { CardGreeting } from '@grove/secure-element/secure-channel/initialize-update'
import { hostKeys, type HostKeys } from '@grove/secure-element/secure-channel/key-source'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import { DecodeError } from '@grove/secure-element/decode-error'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { setsOf, type StoredKeySet } from './key.queries.ts'
import type { KeyProviders } from './key-provider.ts'
import { storedMasters } from './master.queries.ts'

/** The published test key of GlobalPlatform, which cards are delivered with. */
const testKey = readHex('404142434445464748494A4B4C4D4E4F')
const testKeys: KeySet = { enc: testKey, mac: testKey, dek: testKey }

type Finding = Pick<KeyMismatch, 'finding' | 'foundVersion' | 'diversification' | 'masterName'>

const found = (finding: Finding['finding'], more: Partial<Finding> = {}): Finding => ({
  finding,
  foundVersion: null,
  diversification: null,
  masterName: null,
  ...more,
})

/**
 * Determines which keys a card has instead of the tried ones, from its earlier responses. Nothing is
 * sent, so no attempt is lost.
 */
export async function diagnose(
  { db, keys }: { db: MapleDb; keys: KeyProviders },
  { cplc, serviceId }: { cplc: string; serviceId: string | null },
  greeting: CardGreeting,
  hostChallenge: Uint8Array,
): Promise<Finding> {
  const fits = async (make: () => HostKeys | Promise<HostKeys>) => {
    try {
      return fitsGreeting(await make(), greeting, hostChallenge)
    } catch (error) {
      // Keys of another length than the protocol has, or old ones that cannot be reached now.
      if (error instanceof DecodeError || error instanceof ProblemError) return false
      throw error
    }
  }
  const clear = (set: KeySet) => fits(() => hostKeys(set, greeting, hostChallenge))
  const made = (set: KeySet, method: (typeof diversifications)[number]) =>
    clear(diversifiedKeys(method, set, greeting.diversificationData))

  const sets = (await setsOf(db, cplc, ['active', 'pending', 'old'])).filter(isUsable(keys))
  for (const set of sets) {
    const provider = set.custody === 'vault' ? keys.vault : keys.hsm
    if (!provider || set.master) continue
    const { version: foundVersion } = set
    if (await fits(() => provider.sessionKeys(set, greeting, hostChallenge)))
      return found('ownSet', { foundVersion })
    const { diversified } = provider
    for (const method of diversifications)
      if (diversified && (await fits(() => diversified(set, method, greeting, hostChallenge))))
        return found('ownSetDiversified', { foundVersion, diversification: method })
  }
  if (await clear(testKeys)) return found('testKey')
  for (const method of diversifications)
    if (await made(testKeys, method))
      return found('testKeyDiversified', { diversification: method })
  for (const { name, sealed, ...binding } of await storedMasters(db, scopeOfService(serviceId))) {
    const master = await keys.vault.openMaster(sealed, binding)
    try {
      if (await clear(master)) return found('master', { masterName: name })
      for (const method of diversifications)
        if (await made(master, method))
          return found('masterDiversified', { masterName: name, diversification: method })
    } finally {
      for (const key of [master.enc, master.mac, master.dek]) key.fill(0)
    }
  }
  return found('unknown')
}

/** EMV and VISA2 of an AES key yield keys that no protocol accepts; they never match. */
const isUsable =
  ({ hsm }: KeyProviders) =>
  ({ custody }: StoredKeySet) =>
    custody === 'vault' || hsm !== null
