import { parentPort, workerData } from 'node:worker_threads'
import {
  maxImportRowLength,
  type ImportEncoding,
} from '@grove/contract/maple/fleet/device-import.rules'
import type { ColumnMapping } from '@grove/contract/maple/fleet/device-import'
import { createBatchBuilder, type ImportBatch } from './import-batch.ts'
import { createDeviceReader } from './read-device.ts'
import { createRowReader, type FileLayout } from './read-row.ts'
import { shortValue, type StoredError, type Wrong } from './row-problem.ts'
import { createRowSplitter, type RawRow } from './split-rows.ts'

export interface ReadSettings extends FileLayout {
  encoding: ImportEncoding
  mapping: readonly ColumnMapping[]
  /** Where to continue: the byte offset in UTF-8, and the row number. */
  at: number
  row: number
  /** Rows of one batch. */
  batchRows: number
}

/** Messages to the thread: the next bytes of the file, or null at its end. */
export type ReadRequest = Uint8Array | null
/** Its responses. */
export type ReadAnswer = { batches: ImportBatch[] } | { failed: 'not_utf16' }

const settings = workerData as ReadSettings
const splitter = createRowSplitter({
  delimiter: settings.format === 'csv' ? settings.delimiter : null,
  maxRowLength: maxImportRowLength,
  at: settings.at,
  row: settings.row,
})
const valuesOf = createRowReader(settings)
const deviceOf = createDeviceReader(settings.mapping)
const builder = createBatchBuilder()
const decoder =
  settings.encoding === 'utf-8'
    ? undefined
    : new TextDecoder(settings.encoding, { fatal: true, ignoreBOM: true })

/** Bytes of text that were read before, and are skipped. */
let toSkip = settings.at
let done = 0

/** The bytes as they are, or as UTF-8 if the file is UTF-16. */
const inUtf8 = (bytes: Uint8Array | undefined): Buffer =>
  decoder
    ? Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }))
    : Buffer.from(bytes?.buffer ?? new ArrayBuffer(0), bytes?.byteOffset, bytes?.byteLength)

function read(request: ReadRequest): ImportBatch[] {
  const batches: ImportBatch[] = []
  done += request?.byteLength ?? 0
  const bytes = inUtf8(request ?? undefined)
  const skipped = Math.min(toSkip, bytes.length)
  toSkip -= skipped
  takeRows(splitter.push(bytes.toString('latin1', skipped)), batches)
  if (request === null) {
    const { rows, at, row } = splitter.end()
    takeRows(rows, batches)
    batches.push(builder.take({ at, row, done }))
  }
  return batches
}

function takeRows(rows: readonly RawRow[], batches: ImportBatch[]): void {
  for (const raw of rows) {
    // A batch ends at a row boundary, so that reading can continue there.
    if (builder.size() >= settings.batchRows)
      batches.push(builder.take({ at: raw.at, row: raw.row, done }))
    takeRow(raw)
  }
}

function takeRow(raw: RawRow): void {
  const values = valuesOf(raw)
  if (values === null) return
  if (!Array.isArray(values)) return builder.addWrong([stored(raw.row, values)])
  const { device, wrong } = deviceOf(values)
  if (device) builder.add(raw.row, device)
  else builder.addWrong(wrong.map((each) => stored(raw.row, each)))
}

const stored = (row: number, { code, column, value, params = {} }: Wrong): StoredError => ({
  row,
  column: column === undefined ? null : (settings.columns[column] ?? null),
  code,
  value: shortValue(value ?? ''),
  params,
})

parentPort?.on('message', (request: ReadRequest) => {
  let answer: ReadAnswer
  try {
    answer = { batches: read(request) }
  } catch (error) {
    // Only the decoder throws because of a file's contents.
    if (!(error instanceof TypeError) || !decoder) throw error
    answer = { failed: 'not_utf16' }
  }
  parentPort?.postMessage(answer, [])
})
