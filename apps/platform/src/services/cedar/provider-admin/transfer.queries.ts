import { sql } from 'kysely'
import type { Transfer } from '@grove/contract/cedar/provider-admin'
import { transferUndoHours } from '@grove/contract/cedar/provider.rules'
import type { CedarDb, CedarTables } from '../tables.ts'

interface Move {
  from: string
  to: string
  /** Only these; default: every product. */
  only?: readonly string[] | undefined
}

/**
 * Moves products of a provider to another and returns their ids. None stays a provider's default
 * product, since the target may have its own.
 */
export async function moveProducts(db: CedarDb, { from, to, only }: Move): Promise<string[]> {
  const moved = await db
    .updateTable('cedar.product')
    .set({
      provider_id: to,
      is_default: false,
      revision: sql`revision + 1`,
      updated_at: sql`now()`,
    })
    .where('provider_id', '=', from)
    .$if(only !== undefined, (query) => query.where('id', '=', sql<string>`any(${only}::uuid[])`))
    .returning('id')
    .execute()
  const count = moved.length
  await sql`update cedar.provider set product_count = product_count
    + case id when ${from} then ${-count}::integer else ${count}::integer end
    where id in (${from}, ${to})`.execute(db)
  return moved.map(({ id }) => id)
}

export const findDefaultProduct = (db: CedarDb, providerId: string) =>
  db
    .selectFrom('cedar.product')
    .select('id')
    .where('provider_id', '=', providerId)
    .where('is_default', '=', true)
    .executeTakeFirst()

type NewTransfer = Omit<CedarTables['cedar.transfer'], 'at' | 'undone_at'>

export const insertTransfer = (db: CedarDb, transfer: NewTransfer) =>
  db.insertInto('cedar.transfer').values(transfer).execute()

const undoable = sql<boolean>`t.undone_at is null
  and t.at > now() - make_interval(hours => ${sql.lit(transferUndoHours)})`

/** Transfers to a provider that can still be undone, newest first. */
export async function listTransfers(db: CedarDb, providerId: string): Promise<Transfer[]> {
  const { rows } = await sql<Transfer>`
    select t.id, t.user_id as "userId", t.at,
      t.at + make_interval(hours => ${sql.lit(transferUndoHours)}) as "undoUntil",
      cardinality(t.product_ids) as products,
      (select count(*) from cedar.product d
        where d.id = any(t.product_ids) and d.provider_id = t.to_provider) as returnable
    from cedar.transfer t where t.to_provider = ${providerId} and ${undoable}
    order by t.at desc`.execute(db)
  return rows
}

/** A transfer, locked for the transaction, and whether it can still be undone. */
export const lockTransfer = (db: CedarDb, id: string) =>
  db
    .selectFrom('cedar.transfer as t')
    .selectAll()
    .select(undoable.as('isUndoable'))
    .where('t.id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const markUndone = (db: CedarDb, id: string) =>
  db
    .updateTable('cedar.transfer')
    .set({ undone_at: sql<string>`now()` })
    .where('id', '=', id)
    .execute()
