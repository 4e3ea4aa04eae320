import { open } from 'node:fs/promises'
import {
  maxColumnNameLength,
  maxImportRowLength,
  maxImportColumns,
  previewRows,
  type FileProblem,
  type ImportEncoding,
} from '@grove/contract/maple/fleet/device-import.rules'
import { readJson } from '../../../../core/json-depth.ts'
import { decodeRow } from './decode-row.ts'
import { plainCell } from '../../base/formula-cell.ts'
import { createRowReader, type FileLayout } from './read-row.ts'
import { shortValue, type Wrong } from './row-problem.ts'
import { cellsOf, createRowSplitter, type RawRow } from './split-rows.ts'

/** What the beginning of a file shows. */
export interface InspectedFile extends FileLayout {
  encoding: ImportEncoding
  /** The start of the devices: the byte offset in UTF-8, and the row. */
  at: number
  row: number
  /** The first rows, each with its values or its errors. */
  sample: SampleRow[]
}

export type SampleRow = { row: number; values: unknown[] } | { row: number; wrong: Wrong }

/** A file that cannot be imported; `params` have the position and what was found. */
export class FileProblemError extends Error {
  override readonly name = 'FileProblemError'
  readonly problem: FileProblem
  readonly params: Record<string, string | number>

  constructor(problem: FileProblem, message: string, params: Record<string, string | number> = {}) {
    super(message)
    this.problem = problem
    this.params = params
  }
}

const inspectedBytes = 1024 * 1024

/** Inspects the first megabyte. @throws FileProblemError */
export async function inspectFile(path: string): Promise<InspectedFile> {
  const beginning = await readBeginning(path)
  if (beginning.length === 0) throw new FileProblemError('empty', 'The file is empty.')
  const encoding = encodingOf(beginning)
  const bytes = toUtf8(beginning, encoding)
  const bom = bytes.subarray(0, 3).equals(utf8Mark) ? 3 : 0
  const text = bytes.toString('latin1', bom)
  const first = text.trimStart()[0]
  if (first === undefined) throw new FileProblemError('empty', 'The file contains no rows.')
  if (first === '[')
    throw new FileProblemError(
      'json_array',
      'The file is one JSON array. Send JSON Lines: one object per line, without enclosing brackets and commas.',
    )
  const isWhole = beginning.length < inspectedBytes
  const layout = { encoding, text, bom, isWhole }
  return first === '{' ? inspectObjects(layout) : inspectTable(layout)
}

interface Beginning {
  encoding: ImportEncoding
  text: string
  bom: number
  isWhole: boolean
}

async function readBeginning(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(inspectedBytes)
    const { bytesRead } = await file.read(buffer, 0, inspectedBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf])

/** From the byte-order mark, or from the zero bytes of ASCII characters. */
function encodingOf(bytes: Buffer): ImportEncoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const start = bytes.subarray(0, 4096)
  const zeros = [0, 0]
  for (const [index, byte] of start.entries()) if (byte === 0) zeros[index % 2]! += 1
  const [even = 0, odd = 0] = zeros
  if (even + odd === 0) return 'utf-8'
  const most = start.length / 2
  if (odd > most * 0.4 && even < most * 0.05) return 'utf-16le'
  if (even > most * 0.4 && odd < most * 0.05) return 'utf-16be'
  throw new FileProblemError('binary', 'The file is not text. Send CSV or JSON Lines.')
}

function toUtf8(bytes: Buffer, encoding: ImportEncoding): Buffer {
  if (encoding === 'utf-8') return bytes
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    return Buffer.from(decoder.decode(bytes, { stream: true }))
  } catch {
    throw new FileProblemError(
      'not_utf16',
      'The file begins as UTF-16 but does not continue so. Save it as UTF-8.',
    )
  }
}

/** The complete rows at the beginning; a last row that may be cut off is left out. */
function rowsOf({ text, bom, isWhole }: Beginning, delimiter: string | null): RawRow[] {
  const splitter = createRowSplitter({ delimiter, maxRowLength: maxImportRowLength, at: bom })
  const rows = splitter.push(text)
  return isWhole ? [...rows, ...splitter.end().rows] : rows
}

const isBlank = ({ text }: RawRow) => text !== null && text.trim() === ''

function inspectTable(beginning: Beginning): InspectedFile {
  const delimiter = delimiterOf(beginning.text)
  const rows = rowsOf(beginning, delimiter)
  const index = rows.findIndex((row) => !isBlank(row))
  const header = rows[index]
  const text = header?.text ?? undefined
  const decoded = text === undefined ? undefined : decodeRow(text, header?.at ?? 0)
  if (header === undefined || text === undefined || decoded === undefined)
    throw new FileProblemError('no_columns', 'The first row must name the columns; it is too long.')
  if (typeof decoded !== 'string') throw notUtf8(decoded, beginning.text)
  const cells = cellsOf(decoded, delimiter)
  if (!Array.isArray(cells))
    throw new FileProblemError(
      'no_columns',
      'The quotes of the first row, which names the columns, do not match.',
    )
  const columns = cells.map((cell) =>
    plainCell(cell).trim().slice(0, maxColumnNameLength).toWellFormed(),
  )
  const next = rows[index + 1]
  return withSample(beginning, rows.slice(index + 1), {
    format: 'csv',
    delimiter,
    columns,
    at: next?.at ?? header.at + text.length,
    row: header.row + 1,
  })
}

function inspectObjects(beginning: Beginning): InspectedFile {
  const rows = rowsOf(beginning, null)
  const columns = new Set<string>()
  for (const { text, at } of rows) {
    const decoded = text === null ? '' : decodeRow(text, at)
    if (typeof decoded !== 'string') continue
    for (const key of keysOf(decoded)) columns.add(key)
  }
  return withSample(beginning, rows, {
    format: 'jsonl',
    delimiter: null,
    columns: [...columns],
    at: beginning.bom,
    row: 1,
  })
}

function keysOf(text: string): string[] {
  try {
    const value = readJson(text)
    return typeof value === 'object' && value !== null ? Object.keys(value) : []
  } catch {
    return []
  }
}

function withSample(
  beginning: Beginning,
  rows: readonly RawRow[],
  file: Omit<InspectedFile, 'encoding' | 'sample'>,
): InspectedFile {
  if (file.columns.length > maxImportColumns)
    throw new FileProblemError(
      'too_many_columns',
      `The file has ${file.columns.length} columns; at most ${maxImportColumns} are read.`,
      { found: file.columns.length, limit: maxImportColumns },
    )
  if (file.columns.length === 0)
    throw new FileProblemError('no_columns', 'No line of the file is a JSON object with keys.')
  const valuesOf = createRowReader(file)
  const sample: SampleRow[] = []
  for (const raw of rows) {
    const values = valuesOf(raw)
    if (values === null) continue
    if (Array.isArray(values)) {
      if (sample.length < previewRows) sample.push({ row: raw.row, values })
      continue
    }
    // With another encoding most rows are wrong: better to report it immediately.
    if (values.code === 'not_utf8') throw notUtf8(values, beginning.text)
    const wrong = { ...values, value: shortValue(values.value ?? '') }
    if (sample.length < previewRows) sample.push({ row: raw.row, wrong })
  }
  return { ...file, encoding: beginning.encoding, sample }
}

const delimiters = [',', ';', '\t']

/** The most frequent separator outside quotes in the first row. */
function delimiterOf(text: string): string {
  const [header = ''] = text
    .trimStart()
    .replaceAll(/"[^"]*"/g, '')
    .split(/[\r\n]/, 1)
  const counts = delimiters.map((delimiter) => header.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

function notUtf8({ params = {} }: Wrong, text: string): FileProblemError {
  const { byte = '', at = 0 } = params
  // Cyrillic letters occur in sequences; accented Latin ones are isolated.
  const pairs = text.match(/[\u00c0-\u00ff]{2}/g)?.length ?? 0
  const singles = text.match(/[\u0080-\u00ff]/g)?.length ?? 1
  const looksLike = pairs * 2 > singles / 2 ? 'Windows-1251' : 'Latin-1'
  return new FileProblemError(
    'not_utf8',
    `The byte ${byte} at ${at} is not UTF-8; the file looks like ${looksLike}. Save it as UTF-8 and upload it again.`,
    { byte, at, looksLike },
  )
}
