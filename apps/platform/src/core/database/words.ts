import { sql, type RawBuilder } from 'kysely'

type Sql = RawBuilder<unknown>

/**
 * What stands between words, as code points: the same for JavaScript and for a database of any
 * locale. Variation selectors are in it, since an emoji is typed with and without them.
 */
const between = String.raw`\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f`

const words = new RegExp(`[0-9]+|[^${between}0-9]+`, 'g')

/** More words than these narrow a search no further. An id in a name has many: "3c442b2b" has six. */
const maxWords = 32

/**
 * The words of a text that was typed, in the form in which names are compared: runs of letters and
 * runs of digits, so that "dev31337" has two.
 */
export const wordsOf = (key: string): string[] => [...new Set(key.match(words))].slice(0, maxWords)

/** Whether each word begins a word of a text, digits with or without the zeros in front of them. */
export const hasWords = (text: Sql, typed: readonly string[]): Sql =>
  typed.length === 0
    ? sql`false`
    : sql.join(
        // Nothing in a word has a meaning in a pattern.
        typed.map((word) => sql`${text} ~ ${`${startOf(word)}${word}`}`),
        sql` and `,
      )

/**
 * Whether each word of a text in lower case begins a word of a `tsvector`, which an index answers. The
 * vector has words as they are written beside those in lower case, since a database whose locale is C
 * folds the case of Latin letters alone: other words are looked for as they may be written.
 */
export function beginsWithWords(vector: Sql, text: string): Sql {
  const typed = wordsOf(text)
  if (typed.length === 0) return sql`false`
  // A word has no quotes and no backslash.
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
/** Whether a column in the order of code points begins with a text. A pattern could not use its index. */
export const beginsWith = (column: Sql, start: string): Sql =>
  sql`${column} >= ${start} and ${column} < ${`${start}\u{10FFFF}`}`

/** A search without an index of words looks for them in this many names. */
const lookLimit = 10_000

export interface NameSearch {
  /** With `key` and `name_key`, and an index of a scope by `name_key` and `key`. */
  table: Sql
  key?: string
  /** Whose rows are searched. */
  scope?: Sql
  /** What was typed, in the form in which names are compared. */
  text: string
  limit: number
  /** Further columns that may begin with a text, and that text. */
  others?: Readonly<Record<string, string>>
}

/**
 * The keys whose name begins with a text or has all its words: the first of them, in the order of
 * names. The beginnings are one range of an index; words are looked for in a limited number of names.
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
  // To the planner an array is small, so it looks these keys up instead of scanning the list.
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
