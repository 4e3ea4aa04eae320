import type { ImportField, RowProblem } from '@grove/contract/maple/fleet/device-import.rules'

type Params = Record<string, string | number>

/** An error in a row: at a field or a column, or of the row as a whole. */
export interface Wrong {
  code: RowProblem
  field?: ImportField
  /** Counted from 0. */
  column?: number
  value?: string
  params?: Params
}

/** An error as it is stored. */
export interface StoredError {
  row: number
  column: string | null
  code: RowProblem
  value: string
  params: Params
}

const maxValueLength = 100

/** The beginning of a value; half a character is not stored. */
export const shortValue = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.slice(0, maxValueLength).toWellFormed().replaceAll('\0', '\ufffd')
}
