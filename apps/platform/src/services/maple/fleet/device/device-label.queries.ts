import { sql } from 'kysely'
import { labelDevices, maxLabels, type LabelKind } from '@grove/contract/maple/fleet/device.rules'
import type { MapleDb } from '../../base/tables.ts'

// In byte order, no text with a prefix sorts after the prefix followed by this.
const last = '\u{10FFFF}'

interface Asked {
  kind: LabelKind
  /** Their prefix. */
  beginning: string
}

/** Tags or attribute keys of all devices: one index lookup each, however many devices have them. */
export async function labelsOfAll(db: MapleDb, { kind, beginning }: Asked): Promise<string[]> {
  const isTag = kind === 'tag'
  const from = isTag ? `#${beginning}` : beginning === '' ? 'a' : beginning
  const to = isTag || beginning !== '' ? `${isTag ? '#' : ''}${beginning}${last}` : '{'
  const { rows } = await sql<{ label: string }>`
    with recursive found (label) as (
      (
        select ${isTag ? sql`term` : keyOfTerm} from maple.device_term
        where term >= ${from} and term < ${to} order by term limit 1
      )
      union all
      select (
        select ${isTag ? sql`term` : keyOfTerm} from maple.device_term
        where term > ${isTag ? sql`found.label` : sql`found.label || '>'`} and term < ${to}
        order by term limit 1
      ) from found where found.label is not null
    )
    select label from found where label is not null limit ${sql.lit(maxLabels)}
  `.execute(db)
  return rows.map(({ label }) => (isTag ? label.slice(1) : label))
}

// `site=North Hall` and `floor<`: a key has neither sign.
const keyOfTerm = sql`substring(term from '^[^<=]+')`

/** Those of a service provider's newest devices: terms do not tell their owner. */
export async function labelsOfService(
  db: MapleDb,
  { kind, beginning }: Asked,
  serviceId: string,
): Promise<string[]> {
  const labels =
    kind === 'tag' ? sql`unnest(newest.tags)` : sql`jsonb_object_keys(newest.attributes)`
  const { rows } = await sql<{ label: string }>`
    with newest as (
      select tags, attributes from maple.device where service_id = ${serviceId}
      order by created_at desc, id desc limit ${sql.lit(labelDevices)}
    )
    select distinct label collate "C" as label from newest, ${labels} as label
    where starts_with(label, ${beginning})
    order by 1 limit ${sql.lit(maxLabels)}
  `.execute(db)
  return rows.map(({ label }) => label)
}
