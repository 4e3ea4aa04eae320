import { sql } from 'kysely'
import type { AuthDb } from '../tables.ts'

export async function insertMail(
  tx: AuthDb,
  mail: { id: string; sealedMail: string; at: string },
): Promise<void> {
  await tx
    .insertInto('auth.mail')
    .values({
      id: mail.id,
      sealed_mail: mail.sealedMail,
      next_attempt_at: mail.at,
      created_at: mail.at,
    })
    .execute()
}

export interface ClaimedMail {
  id: string
  sealed_mail: string
  attempts: number
  created_at: string
}

/** Takes mails that are due for this process alone, until `claimedUntil`; counts the attempt. */
export async function claimMails(
  db: AuthDb,
  now: string,
  claimedUntil: string,
  limit: number,
): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    update auth.mail set attempts = attempts + 1, next_attempt_at = ${claimedUntil}
    where id in (
      select id from auth.mail where next_attempt_at <= ${now}
      order by next_attempt_at limit ${limit} for update skip locked
    )
    returning id, sealed_mail, attempts, created_at
  `.execute(db)
  return rows
}

export async function postponeMail(db: AuthDb, id: string, at: string): Promise<void> {
  await db.updateTable('auth.mail').set({ next_attempt_at: at }).where('id', '=', id).execute()
}

export async function deleteMail(db: AuthDb, id: string): Promise<void> {
  await db.deleteFrom('auth.mail').where('id', '=', id).execute()
}
