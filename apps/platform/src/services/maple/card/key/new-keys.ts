import { getRandomValues, randomUUID } from 'node:crypto'
import { chipId } from '@grove/secure-element/cplc'
import { diversifiedKeys } from '@grove/secure-element/keys/diversification'
import type { SecureChannel } from '@grove/secure-element/secure-channel/channel'
import type { KeySet } from '@grove/secure-element/secure-channel/key-set'
import type { RotationCause } from '@grove/contract/maple/card/key.rules'
import { everything } from '../../../../core/scope.ts'
import type { KeyContext } from './key-provider.ts'
import { setsOf, type AddedSet, type StoredKeySet } from './key.queries.ts'
import { algorithmOf, checkValuesOf, makeKeySet } from './key-source.ts'
import { storedMasters } from './master.queries.ts'
import type { RotationFacts } from './rotation.queries.ts'

/** Thrown if there are no keys to send; has a message for people and a code for the journal. */
export class NoNewKeys extends Error {
  override readonly name = 'NoNewKeys'
  readonly why: RotationCause
  constructor(why: RotationCause, message: string) {
    super(message)
    this.why = why
  }
}

/** The keys that a card is about to get. The sender wipes the plain ones. */
export interface NewKeys {
  /** The set as stored now, or before anything is sent. */
  set: Pick<AddedSet, 'id' | 'kept'>
  /** Its row, unless it is stored already. */
  added: AddedSet | undefined
  keys: KeySet
}

/**
 * Creates the new keys of a rotation, or takes the given ones, for the channel through which they are
 * sent.
 * @throws NoNewKeys if the keys are gone or belong to another protocol.
 */
export async function newKeys(
  context: KeyContext,
  { cplc, domain, newVersion, newSet, custody, target }: RotationFacts,
  { old, channel }: { old: StoredKeySet | undefined; channel: SecureChannel },
): Promise<NewKeys> {
  const { protocol } = channel
  if (newSet !== null) return givenKeys(context, { cplc, newSet }, channel)
  const set = { cplc, domain, version: newVersion, protocol, state: 'pending' } as const
  if (target.kind !== 'derived') {
    const keyLength = target.kind === 'random' ? target.keyLength : undefined
    const keys = randomKeys(keyLength ?? old?.keyLength ?? 16)
    const added = await makeKeySet(context, { ...set, keys, custody, origin: 'generated' })
    return { set: added, added, keys }
  }
  const { masterId, diversification } = target
  const master = (await storedMasters(context.db, everything)).find(({ id }) => id === masterId)
  if (!master) throw new NoNewKeys('master_gone', 'The master keys were deleted.')
  const clear = await context.keys.vault.openMaster(master.sealed, master)
  const keys = diversifiedKeys(diversification, clear, channel.diversificationData)
  for (const key of [clear.enc, clear.mac, clear.dek]) key.fill(0)
  const algorithm = algorithmOf(protocol)
  const added: AddedSet = {
    ...set,
    id: randomUUID(),
    chipId: chipId(cplc),
    algorithm,
    keyLength: keys.enc.length,
    checkValues: checkValuesOf(algorithm, keys),
    origin: 'diversified',
    kept: { custody: 'vault', sealed: null, hsmLabel: null },
    master: { id: masterId, diversification },
  }
  return { set: added, added, keys }
}

async function givenKeys(
  { db, keys: { vault } }: KeyContext,
  { cplc, newSet }: { cplc: string; newSet: string },
  { protocol }: SecureChannel,
): Promise<NewKeys> {
  const set = (await setsOf(db, cplc, ['pending'])).find(({ id }) => id === newSet)
  if (!set) throw new NoNewKeys('keys_gone', 'The keys that were given are gone.')
  if (set.protocol !== protocol)
    throw new NoNewKeys(
      'other_protocol',
      `The card opened the channel with ${protocol}; the given keys are for ${set.protocol}.`,
    )
  return { set: { id: set.id, kept: set }, added: undefined, keys: await vault.open(set) }
}

function randomKeys(keyLength: number): KeySet {
  const make = () => getRandomValues(new Uint8Array(keyLength))
  return { enc: make(), mac: make(), dek: make() }
}
