import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { CardSnapshot } from '@grove/contract/maple/card/software-card'
import type { QueryOf } from '@grove/contract/call'
import {
  cardSearchLimit,
  cardSorting,
  type CardKind,
} from '@grove/contract/maple/card/software-card.rules'
import type { Faults } from '@grove/secure-element/card/software-card'
import { defineOwned } from '../../../../core/owned/define-owned.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'
import { sealedColumns, sealedOf, sealedValues, type StoredCard } from './card-keys.ts'

/** A card as it is stored. */
export interface CardRow extends StoredCard {
  cplc: string
  name: string
  kind: CardKind
  seed: string
  serviceId: string | null
  deviceId: string | null
  faults: Faults
  revision: number
  createdAt: string
  updatedAt: string
}

const cards = defineOwned<CardRow, QueryOf<Calls['GET /api/maple/software_cards']>>({
  table: 'maple.software_card',
  key: 'cplc',
  as: 'card',
  columns: sql`
    card.cplc, card.name, card.kind, card.seed, card.service_id as "serviceId", card.state,
    ${sealedOf('card')} as sealed, card.faults, card.revision, card.created_at as "createdAt",
    card.updated_at as "updatedAt",
    (select device_id from maple.element where cplc = card.cplc) as "deviceId"`,
  sorting: cardSorting,
  filters: { id: (id) => sql`cplc = ${readCplc('id', id)}` },
  searchLimit: cardSearchLimit,
})

export const { list: cardList, count: countCards } = cards

export const findCard = (db: MapleDb, scope: Scope, cplc: string) => cards.find(db, cplc, scope)

/** Locks the card for the transaction. */
export const lockCard = (db: MapleDb, scope: Scope, cplc: string) => cards.lock(db, cplc, scope)

type NewCardRow = Pick<
  CardRow,
  'cplc' | 'name' | 'kind' | 'seed' | 'serviceId' | 'state' | 'sealed'
>

export async function insertCard(db: MapleDb, card: NewCardRow): Promise<void> {
  await sql`
    insert into maple.software_card
      (cplc, name, name_key, kind, seed, service_id, state, ${sealedColumns})
    values (${card.cplc}, ${card.name}, ${nameKey(card.name)}, ${card.kind}, ${card.seed},
      ${card.serviceId}, ${JSON.stringify(card.state)}::jsonb, ${sealedValues(card.sealed)})
  `.execute(db)
}

export async function changeCard(
  db: MapleDb,
  cplc: string,
  { name, faults, card }: { name: string; faults: Faults; card?: StoredCard },
): Promise<void> {
  const put = card
    ? sql`, state = ${JSON.stringify(card.state)}::jsonb,
        (${sealedColumns}) = row(${sealedValues(card.sealed)})`
    : sql``
  await sql`
    update maple.software_card
    set name = ${name}, name_key = ${nameKey(name)}, faults = ${JSON.stringify(faults)}::jsonb,
      version = version + 1, revision = revision + 1, updated_at = now() ${put}
    where cplc = ${cplc}
  `.execute(db)
}

const snapshotColumns = sql`
  snapshot.id, snapshot.cplc as "cardId", snapshot.name, snapshot.state,
  ${sealedOf('snapshot')} as sealed,
  snapshot.created_at as "createdAt"`

export type SnapshotRow = Omit<CardSnapshot, 'lifeCycle'> & StoredCard

export async function readSnapshots(db: MapleDb, cplc: string): Promise<SnapshotRow[]> {
  const { rows } = await sql<SnapshotRow>`
    select ${snapshotColumns} from maple.software_card_snapshot as snapshot
    where cplc = ${cplc} order by created_at desc, id
  `.execute(db)
  return rows
}

export async function findSnapshot(
  db: MapleDb,
  scope: Scope,
  id: string,
): Promise<SnapshotRow | undefined> {
  const { rows } = await sql<SnapshotRow>`
    select ${snapshotColumns} from maple.software_card_snapshot as snapshot
    join maple.software_card as card using (cplc)
    where snapshot.id = ${id} and ${inScope(scope, 'card.service_id')}
  `.execute(db)
  return rows[0]
}

/** Undefined when the card has a snapshot of this name. */
export async function insertSnapshot(
  db: MapleDb,
  { cplc, name, state, sealed }: { cplc: string; name: string } & StoredCard,
): Promise<SnapshotRow | undefined> {
  const { rows } = await sql<SnapshotRow>`
    insert into maple.software_card_snapshot as snapshot
      (cplc, name, name_key, state, ${sealedColumns})
    values (${cplc}, ${name}, ${nameKey(name)}, ${JSON.stringify(state)}::jsonb,
      ${sealedValues(sealed)})
    on conflict (cplc, name_key) do nothing returning ${snapshotColumns}
  `.execute(db)
  return rows[0]
}

export async function deleteSnapshot(db: MapleDb, id: string): Promise<void> {
  await sql`delete from maple.software_card_snapshot where id = ${id}`.execute(db)
}
