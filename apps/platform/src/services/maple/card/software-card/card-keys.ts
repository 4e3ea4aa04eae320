import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { CardState } from '@grove/secure-element/card/card-state'
import type { Sealed } from '../../../../core/vault/vault.ts'
import type { VaultProvider } from '../key/key-provider.ts'

/** The keys of a card, encrypted for their row; bytes in hex. */
export interface SealedKeys {
  /** What they are bound to: a new one each time they are sealed. */
  keyId: string
  vaultKey: number
  wrappedKey: string
  body: string
}

/** A card as stored in a row. */
export interface StoredCard {
  /** Without the values of keys, except in a row from before they were sealed. */
  state: CardState
  sealed: SealedKeys | null
}

/** Every key of a card, in the order of its domains. */
const keysOf = (state: CardState) =>
  [state, ...state.applications.flatMap(({ domain }) => domain ?? [])].flatMap(({ keySets }) =>
    keySets.flatMap(({ keys }) => keys),
  )

export const keyValues = (state: CardState): string[] => keysOf(state).map(({ value }) => value)

/** A copy whose keys have other values. */
function withValues(state: CardState, valueOf: (index: number, before: string) => string) {
  const copy = structuredClone(state)
  for (const [index, key] of keysOf(copy).entries()) key.value = valueOf(index, key.value)
  return copy
}

/** A card's state as it may be stored. */
export const withoutKeys = (state: CardState): CardState => withValues(state, () => '')

/** Whether a row has keys in the clear, which its next write encrypts. */
export const hasClearKeys = ({ state }: Pick<StoredCard, 'state'>): boolean =>
  keyValues(state).some((value) => value !== '')

export async function sealCard(vault: VaultProvider, state: CardState): Promise<StoredCard> {
  const keyId = randomUUID()
  const sealed = await vault.keepCard(keyId, JSON.stringify(keyValues(state)))
  return { state: withoutKeys(state), sealed: sealedText(keyId, sealed) }
}

/** The whole card, to run or to copy it. @throws ProblemError `vault_unavailable` */
export async function openCard(
  vault: VaultProvider,
  { state, sealed }: StoredCard,
): Promise<CardState> {
  if (!sealed) return state
  const values = JSON.parse(await vault.openCard(sealedBytes(sealed), sealed.keyId)) as string[]
  // A value in the state is newer than the sealed one.
  return withValues(state, (index, before) => before || (values[index] ?? ''))
}

export const sealedText = (keyId: string, { vaultKey, wrappedKey, body }: Sealed): SealedKeys => ({
  keyId,
  vaultKey,
  wrappedKey: wrappedKey.toString('hex'),
  body: body.toString('hex'),
})

export const sealedBytes = ({ vaultKey, wrappedKey, body }: SealedKeys): Sealed => ({
  vaultKey,
  wrappedKey: Buffer.from(wrappedKey, 'hex'),
  body: Buffer.from(body, 'hex'),
})

/** The columns of sealed keys, to write them. */
export const sealedColumns = sql`key_id, vault_key, wrapped_key, sealed_keys`

export const sealedValues = (sealed: SealedKeys | null) => sql`
  ${sealed?.keyId ?? null}::uuid, ${sealed?.vaultKey ?? null}::smallint,
  decode(${sealed?.wrappedKey ?? null}, 'hex'), decode(${sealed?.body ?? null}, 'hex')`

/** The same columns of a table as one value, to read them. */
export const sealedOf = (table: string) => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`case when ${column('key_id')} is not null then json_build_object(
    'keyId', ${column('key_id')}, 'vaultKey', ${column('vault_key')},
    'wrappedKey', encode(${column('wrapped_key')}, 'hex'),
    'body', encode(${column('sealed_keys')}, 'hex')) end`
}
