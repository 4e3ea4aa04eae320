import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { keyLengths } from '@grove/contract/maple/card/key.rules'
import type { Protocol } from '@grove/secure-element/secure-channel/security-level'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertMaster, readKeys } from './given-keys.ts'
import type { Custody, KeyContext } from './key-provider.ts'
import { insertKeySet, listSets, type StoredKeySet } from './key.queries.ts'
import { algorithmOf, makeKeySet } from './key-source.ts'
import { setNewSet, type StoredTarget } from './rotation.queries.ts'

export interface NewVersion {
  /** The keys that are replaced; undefined for the first keys of a domain. */
  set: StoredKeySet | undefined
  protocol: Protocol
  newVersion?: number | undefined
}

/** The key versions that hosts expect in a domain by default. */
const firstVersions: Record<Protocol, number> = { SCP02: 0x20, SCP03: 0x30 }

/** A chip's initial keys have version FF, and new ones are added beside them. */
export const versionOf = ({ set, protocol, newVersion }: NewVersion): number =>
  newVersion ?? (set ? (set.version === 0xff ? 1 : set.version) : firstVersions[protocol])

export type GivenTarget = NonNullable<BodyOf<Calls['POST /api/maple/se/keys/rotation']>['target']>

/** @throws ProblemError `not_found` or `invalid_request`. */
export async function readTarget(
  tx: MapleDb,
  actor: Actor,
  {
    kind,
    keyLength,
    masterId,
    diversification,
    keys,
    protocol,
    custody,
  }: GivenTarget & { protocol: Protocol; custody: Custody },
): Promise<StoredTarget> {
  const at = 'target.'
  const algorithm = algorithmOf(protocol)
  const lengths: readonly number[] = keyLengths[algorithm]
  if (custody === 'hsm' && kind !== 'random')
    throw invalidField(
      `${at}kind`,
      'hsm',
      'The keys of this element are kept in the HSM, which takes only keys that are made for it. Choose random keys.',
    )
  if (kind === 'random') {
    if (keyLength !== undefined && !lengths.includes(keyLength))
      throw invalidField(`${at}keyLength`, 'keyLength', 'Keys of SCP02 have 16 bytes.')
    return { kind, keyLength }
  }
  if (kind === 'imported') {
    if (!keys) throw invalidField(`${at}keys`, 'required', 'Send the three keys.')
    return { kind }
  }
  if (!masterId || !diversification)
    throw invalidField(
      `${at}masterId`,
      'required',
      'Send masterId, and diversification: how keys are derived from it.',
    )
  await assertMaster(tx, actor, { masterId, algorithm, diversification, at })
  return { kind, masterId, diversification }
}

/** Stores the given keys as those that the card is about to get. */
export async function keepGiven(
  { keys: providers }: Pick<KeyContext, 'keys'>,
  tx: MapleDb,
  {
    id,
    cplc,
    domain,
    protocol,
    target: { keys, checkValues },
    ...versions
  }: NewVersion & { id: string; cplc: string; domain: string | null; target: GivenTarget },
): Promise<void> {
  if (!keys) return
  const clear = readKeys(algorithmOf(protocol), keys, checkValues, 'target.')
  try {
    const version = versionOf({ protocol, ...versions })
    const made = await makeKeySet(
      { db: tx, keys: providers },
      { cplc, domain, version, protocol, keys: clear, origin: 'imported', state: 'pending' },
    )
    const isKnown = (await listSets(tx, cplc)).some(
      (each) =>
        each.state === 'active' &&
        each.version === version &&
        each.checkValues?.join() === made.checkValues?.join(),
    )
    // Afterwards it would be impossible to tell which of them the card has.
    if (isKnown)
      throw new ProblemError('already_exists', 'The card already has these keys in this version.')
    await insertKeySet(tx, made)
    await setNewSet(tx, id, made.id)
  } finally {
    for (const key of [clear.enc, clear.mac, clear.dek]) key.fill(0)
  }
}
