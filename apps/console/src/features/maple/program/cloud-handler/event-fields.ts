export interface EventField {
  /** As the code refers to it, such as `event.data.temperature`. */
  path: string
  /** JSON. */
  value: string
}

/** Further fields are not listed: they are in the event itself. */
export const maxEventFields = 40

const isPlain = (name: string) => /^[A-Za-z_$][\w$]*$/.test(name)

/** The fields of an event as code refers to them, down to the leaves. */
export function fieldsOf(event: unknown, path = 'event'): EventField[] {
  const entries =
    typeof event === 'object' && event !== null
      ? Object.entries(event).map(
          ([name, value]) =>
            [
              Array.isArray(event)
                ? `${path}[${name}]`
                : isPlain(name)
                  ? `${path}.${name}`
                  : `${path}[${JSON.stringify(name)}]`,
              value,
            ] as const,
        )
      : []
  if (entries.length === 0) return [{ path, value: JSON.stringify(event) ?? 'undefined' }]
  return entries.flatMap(([name, value]) => fieldsOf(value, name))
}
