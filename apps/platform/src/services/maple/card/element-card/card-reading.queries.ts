import { sql } from 'kysely'
import type { CardReading } from '@grove/contract/maple/card/element-card'
import type { KnownApplication } from '@grove/secure-element/command-class'
import type { CardContents } from '../applet/card-contents.ts'
import type { MapleDb } from '../../base/tables.ts'

export interface KeptReading {
  reading: CardReading
  readBy: string | null
}

interface FoundReading extends KeptReading {
  /** The contents of the card, including changes by later installations. */
  contents: CardContents
}

/** Readings by earlier releases lack the keys of domains other than the issuer's. */
export const keptReading = sql`'{"domainKeys": []}'::jsonb || reading`

/** The card's report at the last full reading. */
export async function findReading(db: MapleDb, cplc: string): Promise<FoundReading | undefined> {
  const { rows } = await sql<FoundReading>`
    select ${keptReading} as reading, read_by as "readBy", contents from maple.card_reading
    where cplc = ${cplc} and reading is not null`.execute(db)
  return rows[0]
}

/** PUT KEY, STORE DATA, DELETE, INSTALL, LOAD and SET STATUS: they change what a reading reports. */
const changing = [0xd8, 0xe2, 0xe4, 0xe6, 0xe8, 0xf0]

/** How far back this searches. */
const latestSessions = 100

/**
 * Whether the effect of a command since the last reading is unknown: it got no answer, or one that
 * reports a change before an error (ISO/IEC 7816-4: 65xx, 6F00). An applet operation rereads its
 * part, and a rotation finds out which keys the card has.
 */
export async function isUncertain(db: MapleDb, cplc: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from (
        select id, day, cplc, purpose from maple.session
        where cplc = ${cplc} order by opened_at desc, id desc limit ${sql.lit(latestSessions)}
      ) as session
      join maple.exchange as exchange
        on exchange.day = session.day and exchange.session_id = session.id and exchange.is_failed
      left join maple.card_reading as reading on reading.cplc = session.cplc
      where exchange.ins = any(${changing}::smallint[])
        and (exchange.status_word is null or exchange.status_word = ${0x6f00}
          or exchange.status_word between ${0x6500} and ${0x65ff})
        and session.purpose <> 'keys'
        and exchange.at > coalesce(case session.purpose when 'applet' then reading.read_at
          else (reading.reading ->> 'readAt')::timestamptz end, '-infinity')
    ) as found`.execute(db)
  return rows[0]?.found ?? false
}

/** The applications and domains that were on a card when it was last read, or that were entered. */
export async function lastKnown(db: MapleDb, cplc: string): Promise<KnownApplication[]> {
  const { rows } = await sql<KnownApplication>`
    select aid, true as "isDomain", null as "loadFileAid" from maple.domain
    where cplc = ${cplc}
    union all
    select each.aid, each."isDomain", each."loadFileAid" from maple.card_reading as reading
    cross join jsonb_to_recordset(reading.contents -> 'applications')
      as each (aid text, "isDomain" boolean, "loadFileAid" text)
    where reading.cplc = ${cplc}`.execute(db)
  return rows
}

/** Its row is there: the contents of the card were stored before. */
export const keepReading = (tx: MapleDb, cplc: string, { reading, readBy }: KeptReading) =>
  sql`
    update maple.card_reading
    set reading = ${JSON.stringify(reading)}::jsonb, read_by = ${readBy}
    where cplc = ${cplc}`.execute(tx)
