import { maxCursorLength, maxSearchLength, orders } from '@grove/contract/page.rules'
import type { ListView } from './types.ts'

// Parsers of search parameters: a URL can contain anything, and what is invalid is dropped rather
// than refused.

/** One of the values, or undefined. */
export const oneOf = <T extends string>(values: readonly T[], value: unknown): T | undefined =>
  values.find((candidate) => candidate === value)

/** A request whose filter takes one value: several values, in a URL typed by hand, count as none. */
export function withOne<Query extends object, Name extends keyof Query, Value extends string>(
  page: Query,
  name: Name,
  values: readonly Value[],
) {
  const { [name]: chosen, ...query } = page
  const one = oneOf(values, chosen)
  return { ...query, ...(one && { [name]: one }) } as Omit<Query, Name> & { [K in Name]?: Value }
}

/** Text of at most `longest` characters, trimmed. */
export function textOf(value: unknown, longest: number = maxSearchLength): string | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
  return text === '' ? undefined : text.slice(0, longest)
}

const maxValues = 20

/** Values separated by commas, or in the list format of older links; without duplicates. */
export function valuesOf(value: unknown): string[] | undefined {
  const given = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const texts = given.map((each) => textOf(each)).filter((each) => each !== undefined)
  return texts.length > 0 ? [...new Set(texts)].slice(0, maxValues) : undefined
}

/** Those of the values that are in the list, in the order of the values; undefined if there are none. */
export function manyOf<T extends string>(values: readonly T[], value: unknown): T[] | undefined {
  const given = valuesOf(value) ?? []
  const known = values.filter((candidate) => given.includes(candidate))
  return known.length > 0 ? known : undefined
}

/** The part of a list's state that every table has. */
export function listView<Sort extends string, Column extends string>(
  search: Record<string, unknown>,
  { sorts, columns }: { sorts: readonly Sort[]; columns: readonly Column[] },
): Pick<ListView, 'cursor' | 'order'> & { sort?: Sort | undefined; hide?: Column[] | undefined } {
  return optional({
    sort: oneOf(sorts, search['sort']),
    order: oneOf(orders, search['order']),
    cursor: textOf(search['cursor'], maxCursorLength),
    hide: manyOf(columns, search['hide']),
  })
}

type Optional<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: T[K]
}

/**
 * Lets callers omit members that may be undefined. They are still set in the object: the router
 * merges a validated search over the raw one, so an absent member would come back as it was typed.
 */
export const optional = <T extends object>(value: T) => value as Optional<T>
