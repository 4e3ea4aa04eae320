import type { Readable } from 'node:stream'
import { maxImportRowLength } from '@grove/contract/maple/fleet/device-import.rules'
import { readJson } from '../../../../core/json-depth.ts'
import { csvCell, plainCell } from '../../base/formula-cell.ts'
import { decodeRow } from './decode-row.ts'
import type { InspectedFile } from './inspect-file.ts'
import { cellsOf, createRowSplitter, type RawRow } from './split-rows.ts'
import { errorsColumn, isErrorsColumn } from './suggest-mapping.ts'

type Layout = Pick<InspectedFile, 'format' | 'encoding' | 'delimiter' | 'columns' | 'at' | 'row'>

/**
 * The failed rows as uploaded, each with its errors in an additional column, which an import ignores.
 * Memory holds only one piece of the file and the messages.
 */
export async function* failedRows(
  source: Readable,
  layout: Layout,
  messages: ReadonlyMap<number, string>,
): AsyncGenerator<string, void> {
  const { format, encoding, delimiter, at, row } = layout
  const splitter = createRowSplitter({
    delimiter: format === 'csv' ? delimiter : null,
    maxRowLength: maxImportRowLength,
    at,
    row,
  })
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding, { ignoreBOM: true })
  const lineOf = createLineWriter(layout)
  const lines = (rows: readonly RawRow[]) =>
    rows
      .flatMap((raw) => {
        const message = messages.get(raw.row)
        return message === undefined || raw.text === null ? [] : [lineOf(raw.text, raw.at, message)]
      })
      .join('')
  let toSkip = at
  const textOf = (bytes: Buffer) => {
    const skipped = Math.min(toSkip, bytes.length)
    toSkip -= skipped
    return bytes.toString('latin1', skipped)
  }
  yield lineOf.header
  for await (const piece of source as AsyncIterable<Buffer>) {
    const bytes = decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece
    yield lines(splitter.push(textOf(bytes)))
  }
  yield lines(splitter.end().rows)
}

/** Writes a row with its message; `header` comes first. */
function createLineWriter({ format, delimiter, columns }: Layout) {
  if (format === 'jsonl') return Object.assign(objectLine, { header: '' })
  const separator = delimiter ?? ','
  // A file of failed rows already has the column.
  const isKept = columns.map((name) => !isErrorsColumn(name))
  const write = (cells: readonly string[], message: string) =>
    `${[...cells, message].map(csvCell).join(separator)}\r\n`
  const own = columns.filter((_, index) => isKept[index])
  const line = (text: string, at: number, message: string) => {
    const decoded = decodeRow(text, at)
    const cells = typeof decoded === 'string' ? cellsOf(decoded, separator) : undefined
    // A row with invalid quotes or bytes is in its first cell as a whole.
    const found = Array.isArray(cells)
      ? cells.map(plainCell)
      : [Buffer.from(text, 'latin1').toString('utf8')]
    const missing = Array.from({ length: Math.max(0, columns.length - found.length) }, () => '')
    return write(
      [...found, ...missing].filter((_, index) => isKept[index] ?? true),
      message,
    )
  }
  // The byte-order mark tells a spreadsheet that the file is UTF-8.
  return Object.assign(line, { header: `\u{feff}${write(own, errorsColumn)}` })
}

function objectLine(text: string, _at: number, message: string): string {
  const line = Buffer.from(text, 'latin1').toString('utf8').trim()
  try {
    const object = readJson(line)
    if (typeof object === 'object' && object !== null && !Array.isArray(object))
      return `${JSON.stringify({ ...object, [errorsColumn]: message })}\n`
  } catch {
    // Text that is not JSON is returned unchanged.
  }
  return `${line}\n`
}
