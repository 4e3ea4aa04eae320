import { readJson } from '../json-depth.ts'

/** The cursor was not created by this list in this order; the caller answers 400. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError'
}

/** The form that a value must have to be compared in SQL; a forged one must not reach a cast. */
const shapes = {
  text: /^[^\0]*$/u,
  timestamp: /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{6}Z$/,
  number: /^-?\d{1,21}(\.\d{1,17})?(e[+-]?\d{1,3})?$/,
  integer: /^(0|-?[1-9]\d{0,14})$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  version: /^\d{1,9}(\.\d{1,9}){2}$/,
}
export type KeysetShape = keyof typeof shapes

/** One order of a list: its name, and the types of the sort column and of the unique tiebreak. */
export interface KeysetSort {
  name: string
  value: KeysetShape
  tiebreak: KeysetShape
}

/** The row at the edge of a page, as text: a number or a Date would lose digits. */
export interface KeysetCursor {
  value: string
  tiebreak: string
  direction: 'next' | 'previous'
}

const version = 1

export function encodeCursor(sort: KeysetSort, cursor: KeysetCursor): string {
  const fields = [version, sort.name, cursor.value, cursor.tiebreak, cursor.direction]
  return Buffer.from(JSON.stringify(fields)).toString('base64url')
}

/** @throws {BadCursorError} for anything that `encodeCursor` did not create for the same sort. */
export function decodeCursor(sort: KeysetSort, text: string): KeysetCursor {
  const fields = parse(text)
  if (!Array.isArray(fields) || fields.length !== 5) throw new BadCursorError('malformed cursor')
  const [madeBy, name, value, tiebreak, direction] = fields as unknown[]
  if (madeBy !== version) throw new BadCursorError('cursor of another version')
  if (name !== sort.name) throw new BadCursorError('cursor of another sort')
  if (
    !isShaped(value, sort.value) ||
    !isShaped(tiebreak, sort.tiebreak) ||
    (direction !== 'next' && direction !== 'previous')
  ) {
    throw new BadCursorError('malformed cursor')
  }
  return { value, tiebreak, direction }
}

function isShaped(value: unknown, shape: KeysetShape): value is string {
  if (typeof value !== 'string' || !shapes[shape].test(value) || !value.isWellFormed()) return false
  return shape !== 'timestamp' || isRealDay(value)
}

/** `Date` turns 30 February into 1 March; PostgreSQL rejects it. */
function isRealDay(timestamp: string): boolean {
  const day = timestamp.slice(0, 10)
  const date = new Date(`${day}T00:00:00Z`)
  return day >= '0001-01-01' && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

function parse(text: string): unknown {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new BadCursorError('malformed cursor')
  try {
    return readJson(bytes.toString())
  } catch (error) {
    throw new BadCursorError('malformed cursor', { cause: error })
  }
}
