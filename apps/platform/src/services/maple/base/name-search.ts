import { sql, type RawBuilder } from 'kysely'
import { keysOfNames, type NameSearch } from '../../../core/database/words.ts'
import { inScope, type Scope } from '../../../core/scope.ts'
import { nameKey } from '../../../core/database/name-key.ts'

interface Search extends Pick<NameSearch, 'table' | 'key' | 'limit'> {
  /** The column of the list that has the key of a row. */
  row: RawBuilder<unknown>
  /** Further columns that may begin with what is typed, and how they have it. */
  others?: Readonly<Record<string, (typed: string) => string>>
}

/** The SQL condition that a row matches a typed search; true for an empty one. */
export const searchByName =
  ({ row, others = {}, ...search }: Search) =>
  (text: string | undefined, scope: Scope): RawBuilder<unknown> => {
    const typed = text?.trim() ?? ''
    if (typed === '') return sql`true`
    const starts = Object.entries(others).map(([column, textOf]) => [column, textOf(typed)])
    return sql`${row} = ${keysOfNames({
      ...search,
      scope: inScope(scope, 'service_id'),
      text: nameKey(typed),
      others: Object.fromEntries(starts),
    })}`
  }
