import { longestKey, mostPointsOfMessage } from '@grove/contract/maple/telemetry.rules'

export interface Measured {
  key: string
  value: number
}

// Text that a database refuses would fail the messages of others with it.
const isKey = (key: string) => key.length <= longestKey && /^[^\p{C}]+$/u.test(key)

/**
 * The numbers of a message: those below other keys are named `a.b`, a number alone `value`. Lists are
 * none, and what comes behind the most that a message can have is left out.
 */
export function numbersOf(data: unknown): Measured[] {
  const found: Measured[] = []
  collect(data, '', found)
  return found
}

function collect(data: unknown, path: string, found: Measured[]): void {
  if (found.length >= mostPointsOfMessage) return
  if (typeof data === 'number') {
    const key = path === '' ? 'value' : path
    // JSON has no numbers without an end, but text of one is read as such.
    if (Number.isFinite(data) && isKey(key)) found.push({ key, value: data })
    return
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return
  for (const [key, value] of Object.entries(data))
    if (key !== '') collect(value, path === '' ? key : `${path}.${key}`, found)
}
