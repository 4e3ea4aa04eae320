/** What is wrong with each field, by its path in the values, such as `elements.0.text`. */
export type FieldTexts = Record<string, string | undefined>

/** The value at a dotted path; undefined where the form has no such field. */
export const valueAt = (values: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => Object(value)[key], values)

/** Form values are plain data whose keys keep their order. */
export const isSameValue = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other)
