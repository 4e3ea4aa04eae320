import { sql, type RawBuilder } from 'kysely'

/**
 * The rows whose UUID has a prefix, with or without hyphens: an index range on the column. Undefined
 * for blank text, which does not filter.
 */
export function uuidBeginsWith(column: string, text: string): RawBuilder<unknown> | undefined {
  const digits = text.trim().replaceAll('-', '').toLowerCase()
  if (digits === '') return undefined
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return sql`false`
  return sql`${sql.ref(column)} between ${digits.padEnd(32, '0')} and ${digits.padEnd(32, 'f')}`
}
