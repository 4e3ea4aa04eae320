import { sql } from 'kysely'
import type { CardState } from '@grove/secure-element/card/card-state'
import type { Faults } from '@grove/secure-element/card/software-card'
import type { MapleDb } from '../../base/tables.ts'
import { sealedColumns, sealedOf, sealedValues, type SealedKeys } from './card-keys.ts'

/** What a session needs of a card before each command. */
export interface RunningCard {
  /** Null if the session's copy is current. */
  state: CardState | null
  sealed: SealedKeys | null
  faults: Faults
  /** Rises with each change of state or faults. */
  version: number
}

/** A session's copy of a row: the state as JSON and the encrypted keys, at a version. */
export interface KnownRow {
  version: number
  row: string
  keyId: string | null
}

const isKnown = ({ version, row, keyId }: KnownRow) => sql`(card.version = ${version}
  or card.state = ${row}::jsonb and card.key_id is not distinct from ${keyId}::uuid)`

export async function findRunningCard(
  db: MapleDb,
  cplc: string,
  known?: KnownRow,
): Promise<RunningCard | undefined> {
  const isNew = known ? sql`not ${isKnown(known)}` : sql`true`
  const { rows } = await sql<RunningCard>`
    select case when ${isNew} then card.state end as state,
      case when ${isNew} then ${sealedOf('card')} end as sealed, faults, version
    from maple.software_card as card where cplc = ${cplc}
  `.execute(db)
  return rows[0]
}

interface Ran {
  known: KnownRow
  state: string
  /** Null if the command changed no keys. */
  sealed: SealedKeys | null
  faults: string
}

/**
 * Stores a command's changes: the state, and the remaining faults unless others were set meanwhile.
 * Undefined if the state was changed meanwhile, or the card deleted.
 */
export async function keepRunningCard(
  db: MapleDb,
  cplc: string,
  { known, state, sealed, faults }: Ran,
): Promise<{ version: number; isAlone: boolean } | undefined> {
  const { version } = known
  const keys = sealed ? sql`, (${sealedColumns}) = row(${sealedValues(sealed)})` : sql``
  const { rows } = await sql<{ version: number; isAlone: boolean }>`
    with before as (select version from maple.software_card where cplc = ${cplc} for update)
    update maple.software_card as card
    set state = ${state}::jsonb, version = card.version + 1,
      faults = case when card.version = ${version} then ${faults}::jsonb else card.faults end ${keys}
    from before
    where card.cplc = ${cplc} and ${isKnown(known)}
    returning card.version, before.version = ${version} as "isAlone"
  `.execute(db)
  return rows[0]
}
