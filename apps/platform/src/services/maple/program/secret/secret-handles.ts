import { randomBytes } from 'node:crypto'
import { CallError } from '../../../../core/sandbox/sandbox.ts'

/**
 * What a program gets instead of its secrets' values: random text that is replaced by a value where
 * the platform allows it, and means nothing elsewhere.
 */
export function secretHandles(secrets: ReadonlyMap<string, string>) {
  const handles = new Map<string, string>()
  const replaced = (
    text: string,
    pairs: Iterable<readonly [string, string]>,
    textOf: (to: string) => string,
  ) => [...pairs].reduce((result, [from, to]) => result.replaceAll(from, () => textOf(to)), text)
  const namesOfValues = [...secrets].map(([name, value]) => [value, name] as const)
  const nameText = (name: string) => `[secret ${name}]`

  /** The same for every call of a run. @throws CallError `SecretError`. */
  const handleOf = (name: unknown): string => {
    if (typeof name !== 'string' || !secrets.has(name))
      throw new CallError('SecretError', `The program has no secret ${String(name)}.`)
    const known = [...handles].find(([, of]) => of === name)
    if (known) return known[0]
    const handle = `secret-${randomBytes(18).toString('base64url')}`
    handles.set(handle, name)
    return handle
  }
  return {
    handleOf,
    areNone: () => handles.size === 0,
    isIn: (text: string) => [...handles.keys()].some((handle) => text.includes(handle)),
    /** With the values. */
    opened: (text: string) => replaced(text, handles, (name) => secrets.get(name) ?? ''),
    /** Replaces echoed values by their names. */
    hidden: (text: string) => replaced(text, namesOfValues, nameText),
    /** With names in place of handles, for people. */
    named: (text: string) => replaced(text, handles, nameText),
  }
}

export type SecretHandles = ReturnType<typeof secretHandles>
