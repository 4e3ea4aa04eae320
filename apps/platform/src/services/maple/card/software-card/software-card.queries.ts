import { sql } from 'kysely'
import type { Calls } from '@grove/contract/calls'
import type { CardSnapshot } from '@grove/contract/maple/card/software-card'
import type { QueryOf } from '@grove/contract/call'
import {
  cardSearchLimit,
  cardSorting,
  type CardKind,
} from '@grove/contract/maple/card/software-card.rules'
import type { SortOf } from '@grove/contract/page.rules'
import type { Faults } from '@grove/secure-element/card/software-card'
import { defineList, type ListPage } from '../../../../core/database/define-list.ts'
import { inScope, type Scope } from '../../../../core/scope.ts'
import { nameKey } from '../../../../core/database/name-key.ts'
import { searchByName } from '../../base/name-search.ts'
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

/** The service provider that a caller sees; null for one who sees all. */
type CardQuery = QueryOf<Calls['GET /api/maple/software_cards']>

const columns = sql<CardRow>`
  card.cplc, card.name, card.kind, card.seed, card.service_id as "serviceId", card.state,
  ${sealedOf('card')} as sealed, card.faults, card.revision, card.created_at as "createdAt", card.updated_at as "updatedAt",
  (select device_id from maple.element where cplc = card.cplc) as "deviceId"`

const sorts = { name: ['name_key', 'text'], createdAt: ['created_at', 'timestamp'] } as const

const isFound = searchByName({
  row: sql`card.cplc`,
  table: sql`maple.software_card`,
  key: 'cplc',
  limit: cardSearchLimit,
})

const cardList = defineList({
  name: 'maple.software_card',
  sorts,
  sorting: cardSorting,
  tiebreak: ['cplc', 'text'],
  filters: {
    id: (id) => sql`cplc = ${readCplc('id', id)}`,
  },
  keys: (card: CardRow, sort) => [sort === 'name' ? nameKey(card.name) : card.createdAt, card.cplc],
  rows: (
    db: MapleDb,
    { query, where, orderBy, limit }: ListPage<CardQuery, SortOf<typeof cardSorting>>,
    scope: Scope,
  ) =>
    sql<CardRow>`
      select ${columns} from maple.software_card as card
      where ${inScope(scope, 'card.service_id')} and ${isFound(query.q, scope)} and ${where('card')} order by ${orderBy('card')} limit ${limit}
    `.execute(db),
})

/** @throws BadCursorError */
export const readCards = (db: MapleDb, query: CardQuery, scope: Scope) =>
  cardList.read(db, query, scope)

export async function findCard(
  db: MapleDb,
  scope: Scope,
  cplc: string,
): Promise<CardRow | undefined> {
  const { rows } = await sql<CardRow>`
    select ${columns} from maple.software_card as card
    where card.cplc = ${cplc} and ${inScope(scope, 'card.service_id')}
  `.execute(db)
  return rows[0]
}

/** Locks the card for the transaction. */
export async function lockCard(
  db: MapleDb,
  scope: Scope,
  cplc: string,
): Promise<CardRow | undefined> {
  await sql`select 1 from maple.software_card where cplc = ${cplc} for update`.execute(db)
  return findCard(db, scope, cplc)
}

/** The number of a service provider's cards; serialises additions. */
export async function holdCount(db: MapleDb, serviceId: string | null): Promise<number> {
  const key = `maple.software_card ${serviceId ?? ''}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from maple.software_card
    where service_id is not distinct from ${serviceId}
  `.execute(db)
  return rows[0]?.count ?? 0
}

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
