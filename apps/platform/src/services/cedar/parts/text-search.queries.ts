import { sql, type RawBuilder } from 'kysely'
import { searchable } from './translations.ts'

/** Whether a column of search texts contains a text; undefined for an empty one. */
export function containsText(column: RawBuilder<unknown>, text: string) {
  const part = searchable(text.trim())
  if (part === '') return undefined
  return sql`${column} like ${`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`}`
}
