import { sql } from 'kysely'
import type { MapleDb } from '../../base/tables.ts'
import type { KeyContext } from './key-provider.ts'

type Context = Pick<KeyContext, 'db' | 'keys'>

/** Written before keys are generated in the HSM. Writing the row of their key set removes it. */
export async function noteLabel(db: MapleDb, label: string): Promise<void> {
  await sql`
    insert into maple.hsm_leftover (label) values (${label})
    on conflict (label) do update set since = now()
  `.execute(db)
}

/**
 * Destroys keys in the HSM, unless a key set uses them. If it is unavailable, the job does it later.
 */
export async function forgetLabel({ db, keys: { hsm } }: Context, label: string): Promise<void> {
  const { rows } = await sql`
    select 1 from maple.hsm_leftover where label = ${label}
      and not exists (select 1 from maple.key_set where hsm_label = label)
  `.execute(db)
  if (rows.length === 0 || !hsm) return
  const isAway = await hsm.forget({ custody: 'hsm', sealed: null, hsmLabel: label }).then(
    () => false,
    () => true,
  )
  if (!isAway) await sql`delete from maple.hsm_leftover where label = ${label}`.execute(db)
}

/** Anything this old belongs to no run that is still generating keys. */
const oldestRun = sql`interval '1 hour'`

export async function forgetLeftovers(context: Context, signal: AbortSignal): Promise<void> {
  if (!context.keys.hsm) return
  const { rows } = await sql<{ label: string }>`
    select label from maple.hsm_leftover where since < now() - ${oldestRun}
    order by since, label limit 500
  `.execute(context.db)
  for (const { label } of rows) {
    if (signal.aborted || (await context.keys.hsm.check())) return
    await forgetLabel(context, label)
  }
}
