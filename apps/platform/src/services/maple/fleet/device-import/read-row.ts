import {
  type ImportFormat,
  maxImportRowLength,
} from '@grove/contract/maple/fleet/device-import.rules'
import { DeepJsonError, deepestJson, readJson } from '../../../../core/json-depth.ts'
import { decodeRow } from './decode-row.ts'
import { plainCell } from '../../base/formula-cell.ts'
import type { Wrong } from './row-problem.ts'
import { cellsOf, type RawRow } from './split-rows.ts'

/** How a file is written, as its first bytes show. */
export interface FileLayout {
  format: ImportFormat
  delimiter: string | null
  /** The names of the columns, or the keys of the objects. */
  columns: readonly string[]
}

/** The values of a row in column order, null for a blank row, or what is wrong with it. */
export function createRowReader({ format, delimiter, columns }: FileLayout) {
  const places = new Map(columns.map((name, index) => [name, index]))
  return ({ text, at }: RawRow): unknown[] | null | Wrong => {
    if (text === null) return { code: 'row_too_long', params: { limit: maxImportRowLength } }
    if (text === '' || text === '\r') return null
    const decoded = decodeRow(text, at)
    if (typeof decoded !== 'string') return decoded
    return format === 'csv'
      ? cellValues(decoded, delimiter ?? ',', columns.length)
      : objectValues(decoded, places)
  }
}

function cellValues(text: string, delimiter: string, expected: number): string[] | Wrong {
  const cells = cellsOf(text, delimiter)
  if (!Array.isArray(cells)) return { code: cells.problem, column: cells.cell, value: text }
  if (cells.length !== expected)
    return { code: 'cell_count', value: text, params: { found: cells.length, expected } }
  return cells.map(plainCell)
}

function objectValues(text: string, places: ReadonlyMap<string, number>): unknown[] | null | Wrong {
  if (text.trim() === '') return null
  let object: unknown
  try {
    object = readJson(text)
  } catch (error) {
    return error instanceof DeepJsonError
      ? { code: 'json_too_deep', value: text, params: { limit: deepestJson } }
      : { code: 'not_json', value: text }
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    return { code: 'not_json', value: text }
  const values: unknown[] = Array.from({ length: places.size })
  for (const [key, value] of Object.entries(object)) {
    const place = places.get(key)
    if (place === undefined)
      return { code: 'unknown_key', value: key, params: { key: key.slice(0, 100) } }
    values[place] = value
  }
  return values
}
