/** The error of each field, by its path in the values, such as `elements.0.text`. */
export type FieldTexts = Record<string, string | undefined>

/** The value at a dotted path; undefined if the form has no such field. */
export const valueAt = (values: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (isNested(value) ? value[key] : undefined), values)

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** The field that contains a path: `roles` for `roles.0` if the form holds the roles as one text. */
export function fieldIn(values: unknown, path: string): string {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('.')))
  return valueAt(values, path) === undefined && parent !== '' ? fieldIn(values, parent) : path
}

/** Form values are plain data whose keys keep their order. */
export const isSameValue = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
