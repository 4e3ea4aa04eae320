import { isSameValue, valueAt } from './form-values.ts'

export interface Merged<V> {
  values: V
  /** Paths of the fields that both sides changed differently. */
  conflicts: string[]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Merges two changes of the same values field by field; a list counts as one field. If both sides
 * changed a field, the result has mine.
 */
export function merge<V>(base: V, theirs: V, mine: V, path = ''): Merged<V> {
  if (isSameValue(base, theirs) || isSameValue(mine, theirs)) return { values: mine, conflicts: [] }
  if (isSameValue(base, mine)) return { values: theirs, conflicts: [] }
  if (!isRecord(base) || !isRecord(theirs) || !isRecord(mine))
    return { values: mine, conflicts: [path] }
  const fields = Object.keys(mine).map((name) => {
    const at = path === '' ? name : `${path}.${name}`
    return [name, merge<unknown>(base[name], theirs[name], mine[name], at)] as const
  })
  return {
    values: Object.fromEntries(fields.map(([name, field]) => [name, field.values])) as V,
    conflicts: fields.flatMap(([, field]) => field.conflicts),
  }
}

/** The values, with the field at a path taken from other values of the same shape. */
export function withValueOf<V>(values: V, path: string, source: V): V {
  const [name = '', ...rest] = path.split('.')
  const part = { ...values } as Record<string, unknown>
  part[name] =
    rest.length === 0
      ? valueAt(source, name)
      : withValueOf(part[name], rest.join('.'), valueAt(source, name))
  return part as V
}
