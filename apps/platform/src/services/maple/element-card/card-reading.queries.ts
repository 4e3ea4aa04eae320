import { sql } from 'kysely'
import type { CardReading } from '@grove/contract'
import type { KnownApplication } from '@grove/secure-element/command-class'
import type { CardContents } from '../applet/card-contents.ts'
import type { MapleDb } from '../tables.ts'

export interface KeptReading {
  reading: CardReading
  readBy: string | null
}

interface FoundReading extends KeptReading {
  /** What is on the card, also as an applet that was installed later changed it. */
  contents: CardContents
}

/** What the card of an element said when everything on it was last read. */
export async function findReading(db: MapleDb, cplc: string): Promise<FoundReading | undefined> {
  const { rows } = await sql<FoundReading>`
    select reading, read_by as "readBy", contents from maple.card_reading
    where cplc = ${cplc} and reading is not null`.execute(db)
  return rows[0]
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
