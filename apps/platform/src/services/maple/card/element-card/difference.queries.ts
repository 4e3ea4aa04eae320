import { sql } from 'kysely'
import type { CardReading } from '@grove/contract/maple/card/element-card'
import type { MapleDb } from '../../base/tables.ts'
import type { CardContents } from '../applet/card-contents.ts'
import { keptReading } from './card-reading.queries.ts'
import type { RecordedKey } from './difference.rules.ts'

/** Grove's records of a card. */
export interface Believed {
  /** The last full reading. */
  reading: CardReading | null
  /** Null if the card was never asked. */
  contents: CardContents | null
  /** Since this was stored, Grove has sent a command that may have changed it. */
  hasSent: { toCard: boolean; toContents: boolean }
}

/** DELETE, INSTALL, LOAD and SET STATUS, which change what GET STATUS lists. */
const listing = [0xe4, 0xe6, 0xe8, 0xf0]

/** How far back this searches. */
const latestSessions = 100

/**
 * The records that a card is compared with. Sessions of people and programs read the card again only
 * after SET STATUS, and an operation may have been interrupted: the commands that they sent show that
 * Grove itself may have caused a difference.
 * @param sessionId The session of the comparison, which has changed nothing yet.
 */
export async function believedOf(
  db: MapleDb,
  cplc: string,
  sessionId: string,
): Promise<Believed | undefined> {
  const { rows } = await sql<Omit<Believed, 'hasSent'> & Believed['hasSent']>`
    with own as (
      select ${keptReading} as reading, case when contents ? 'applications' then contents end as contents,
        coalesce((reading ->> 'readAt')::timestamptz, '-infinity') as read_at,
        read_at as contents_at
      from maple.card_reading where cplc = ${cplc}
    ), session as (
      select id, day, purpose, ended_at from maple.session
      where cplc = ${cplc} order by opened_at desc, id desc limit ${sql.lit(latestSessions)}
    ), sent as (
      select exchange.at, session.purpose
      from own join session on session.ended_at is null
        or session.ended_at > least(own.read_at, own.contents_at)
      join maple.exchange as exchange
        on exchange.day = session.day and exchange.session_id = session.id
      where session.id <> ${sessionId} and exchange.ins = any(${listing}::smallint[])
        and (exchange.status_word is null or exchange.status_word = ${0x6f00}
          or exchange.status_word not between ${0x6600} and ${0x6fff})
        and exchange.at > least(own.read_at, own.contents_at)
    )
    select reading, contents,
      -- An applet operation reads its own part again.
      exists (select from sent where at > own.read_at and purpose <> 'applet') as "toCard",
      exists (select from sent where at > own.contents_at) as "toContents"
    from own`.execute(db)
  const [found] = rows
  if (!found) return undefined
  const { toCard, toContents, ...facts } = found
  return { ...facts, hasSent: { toCard, toContents } }
}

/** Current and former keys of a card's security domains, according to Grove's records. */
export async function recordedKeys(db: MapleDb, cplc: string): Promise<RecordedKey[]> {
  const { rows } = await sql<RecordedKey>`
    select key.domain_aid as domain, key.version, key.state = 'active' as "isActive",
      key.state = 'pending' as "isOpen",
      exists (
        select from maple.key_rotation as rotation
        where rotation.new_set = key.id and rotation.step = 'committed'
      ) as "isPut", key.updated_at as "changedAt"
    from maple.key_set as key where key.cplc = ${cplc}
    union all
    select domain_aid, version, state = 'active', state = 'sending', true, updated_at
    from maple.purpose_key where cplc = ${cplc}`.execute(db)
  return rows
}
