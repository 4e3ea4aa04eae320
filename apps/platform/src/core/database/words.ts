import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

/**
 * The characters between words, as code points, so that JavaScript and a database of any locale
 * agree. Includes variation selectors, since emoji are typed with and without them.
 */
const between = String.raw`\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f`

const words = new RegExp(`[0-9]+|[^${between}0-9]+`, 'g')

/** Further words hardly narrow a search. An id in a name has many: "3c442b2b" has six. */
const maxWords = 32

/**
 * The words of a search text, in the form used to compare names: runs of letters and runs of digits,
 * so "dev31337" has two.
 */
export const wordsOf = (key: string): string[] => [...new Set(key.match(words))].slice(0, maxWords)

/** Whether each word starts a word of a text; digits match with or without leading zeros. */
export const hasWords = (text: Sql, typed: readonly string[]): Sql =>
  typed.length === 0
    ? sql`false`
    : sql.join(
        // A word contains no special characters of patterns.
        typed.map((word) => sql`${text} ~ ${`${startOf(word)}${word}`}`),
        sql` and `,
      )

/**
 * Whether each word of a lower-case text starts a word of a `tsvector`, using its index. The vector
 * has the words both as written and in lower case, since a database with the locale C folds only
 * Latin letters: other words are searched in the usual spellings.
 */
export function beginsWithWords(vector: Sql, text: string): Sql {
  const typed = wordsOf(text)
  if (typed.length === 0) return sql`false`
  // A word contains neither quotes nor backslashes.
  const anyCase = typed.map((word) =>
    casesOf(word)
      .map((each) => `'${each}':*`)
      .join(' | '),
  )
  return sql`${vector} @@ ${anyCase.map((word) => `(${word})`).join(' & ')}::tsquery`
}

const casesOf = (word: string) =>
  /^[\da-z]+$/.test(word)
    ? [word]
    : [...new Set([word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)])]

const startOf = (word: string) => (/^[0-9]/.test(word) ? '(^|[^0-9])0*' : `(^|[0-9${between}])`)

// U+10FFFF is a noncharacter, so no text continues with it.
/** Whether a column sorted by code points starts with a text. A pattern could not use its index. */
export const beginsWith = (column: Sql, start: string): Sql =>
  sql`${column} >= ${start} and ${column} < ${`${start}\u{10FFFF}`}`

/** Without an index of words, a search checks this many names. */
const lookLimit = 10_000

export interface NameSearch {
  /** Has `key` and `name_key`, and an index of a scope by `name_key` and `key`. */
  table: Sql
  key?: string
  /** Limits the rows that are searched. */
  scope?: Sql
  /** The search text, in the form used to compare names. */
  text: string
  limit: number
  /** Further columns, and the text that they may start with. */
  others?: Readonly<Record<string, string>>
}

/**
 * The keys of names that start with a text or contain all its words: the first ones in name order.
 * The prefix search is one range of an index; words are searched in a limited number of names.
 */
export function keysOfNames({
  table,
  key = 'id',
  scope = sql`true`,
  text,
  limit,
  others = {},
}: NameSearch): Sql {
  const typed = wordsOf(text)
  const first = (column: string, start: string) => sql`(
    select ${sql.ref(key)} from ${table}
    where ${scope} and ${beginsWith(sql.ref(column), start)}
    order by ${sql.ref(column)}, ${sql.ref(key)} limit ${sql.lit(limit)})`
  const ranges = Object.entries({ name_key: text, ...others }).map(([column, start]) =>
    first(column, start),
  )
  // The planner assumes a small array, so it looks these keys up instead of scanning the list.
  return sql`any(array(${sql.join(
    typed.length === 0
      ? ranges
      : [
          ...ranges,
          sql`(
            select ${sql.ref(key)} from (
              select ${sql.ref(key)}, name_key from ${table} where ${scope}
              order by name_key, ${sql.ref(key)} limit ${sql.lit(lookLimit)}
            ) as looked
            where ${hasWords(sql.ref('name_key'), typed)} limit ${sql.lit(limit)})`,
        ],
    sql` union `,
  )}))`
}
