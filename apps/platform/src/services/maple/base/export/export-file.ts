import { Readable } from 'node:stream'
import type { ImportFormat } from '@grove/contract/maple/fleet/device-import.rules'
import type { MapleContext } from '../context.ts'
import { csvCell } from '../formula-cell.ts'

/** Small enough that other requests do not wait for one page. */
export const pageSize = 1000

interface ExportFile<Row> {
  /** Prefix of its name. */
  name: string
  format: ImportFormat
  /** The columns of a row, each as CSV has it and as JSON has it. */
  columns: Record<string, { csv: (row: Row) => string; json: (row: Row) => unknown }>
  pages: AsyncIterable<readonly Row[]>
}

/** A file of rows that is read while it is sent. */
export function exportFile<Row>(
  { now }: Pick<MapleContext, 'now'>,
  { name, format, columns, pages }: ExportFile<Row>,
) {
  const cells = Object.values(columns)
  const names = Object.keys(columns)
  const csvLine = (row: Row) => `${cells.map(({ csv }) => csvCell(csv(row))).join(',')}\r\n`
  const jsonLine = (row: Row) =>
    `${JSON.stringify(Object.fromEntries(cells.map(({ json }, at) => [names[at], json(row)])))}\n`
  return {
    fileName: `${name}-${new Date(now()).toISOString().slice(0, 10)}.${format}`,
    mediaType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
    stream: Readable.from(lines(), { objectMode: false }),
  }

  async function* lines(): AsyncGenerator<string, void> {
    // The byte-order mark tells a spreadsheet that the file is UTF-8.
    if (format === 'csv') yield `\u{feff}${names.join(',')}\r\n`
    for await (const rows of pages)
      if (rows.length > 0) yield rows.map(format === 'csv' ? csvLine : jsonLine).join('')
  }
}
