/** Typed text parsed as JSON; undefined if it is invalid. */
export function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2)

/** One line, for a table. */
export const shortJson = (value: unknown): string => JSON.stringify(value) ?? ''
