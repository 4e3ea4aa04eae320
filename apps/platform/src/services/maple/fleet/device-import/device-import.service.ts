import { Readable } from 'node:stream'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { DeviceBulk, RevertPreview } from '@grove/contract/maple/fleet/device-bulk'
import type { ColumnMapping, DeviceImport } from '@grove/contract/maple/fleet/device-import'
import {
  isRepeatable,
  listedImportErrors,
  type ImportLanguage,
} from '@grove/contract/maple/fleet/device-import.rules'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { shownName, type IncomingFile } from '../../../../core/http/upload.ts'
import { lockFile } from '../../../../core/objects/lock-file.ts'
import { scopeOf, scopeOfService, serviceOf } from '../../../../core/scope.ts'
import { importEvents, type FleetContext } from '../context.ts'
import { startRevert } from '../device-bulk/device-bulk.service.ts'
import { previewRevert } from '../device-bulk/revert.ts'
import { assertAllowed, rightsOf } from '../fleet.policy.ts'
import * as queries from './device-import.queries.ts'
import { errorColumns, errorText } from './error-texts.ts'
import { ownerOf } from '../../base/job-turn.ts'
import { csvCell } from '../../base/formula-cell.ts'
import { removeFile } from './import-file.ts'
import { FileProblemError, inspectFile, type InspectedFile } from './inspect-file.ts'
import { createDeviceReader, newDeviceDefaults } from './read-device.ts'
import { shortValue, type StoredError, type Wrong } from './row-problem.ts'
import { failedRows } from './failed-rows.ts'
import { errorsColumn, isErrorsColumn, suggestMapping, valuesOf } from './suggest-mapping.ts'

type List = Calls['GET /api/maple/device/import']
type ById = { id: string }

export async function listImports(
  { db }: FleetContext,
  actor: Actor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> {
  const page = await queries.importList.read(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((item) => importOf(actor, item)) }
}

/** Stores a readable file, with the last mapping used for its header, or a suggested one. */
export async function createImport(
  context: FleetContext,
  actor: Actor,
  { file }: { file: IncomingFile },
): Promise<DeviceImport> {
  const { db, objects } = context
  const staged = await objects.stage(file.stream)
  try {
    await file.assertComplete()
    const inspected = await inspectFile(staged.path).catch(refuseFile)
    const fileName = shownName(file.fileName, 'file')
    // The row comes first, so that nobody removes the same file of another import meanwhile.
    const id = await db.transaction().execute(async (tx) => {
      await lockFile(tx, staged.sha256)
      const { sha256, bytes } = staged
      const createdBy = actor.id
      const serviceId = serviceOf(scopeOf(actor))
      const names = inspected.columns.filter((name) => !isErrorsColumn(name))
      const headers = [inspected.columns, names, [...names, errorsColumn]]
      const chosen = await queries.findChoices(tx, { createdBy, serviceId, headers })
      const { mapping, existing } = chosen ?? {
        mapping: suggestMapping(inspected),
        existing: 'keep' as const,
      }
      return queries.insertImport(tx, {
        fileName,
        sha256,
        bytes,
        file: inspected,
        mapping,
        existing,
        createdBy,
        serviceId,
      })
    })
    await staged.keep().catch(async (error: unknown) => {
      await queries.deleteImport(db, id)
      throw error
    })
    return importOf(actor, await required(db, actor, id))
  } finally {
    await staged.discard()
  }
}

function refuseFile(error: unknown): never {
  if (!(error instanceof FileProblemError)) throw error
  const { problem, message, params } = error
  throw new ProblemError('import_unreadable', message, {
    errors: [{ path: 'file', code: problem, message, params }],
  })
}

/** The first rows as devices, with their errors. */
export async function previewImport(
  { db }: FleetContext,
  actor: Actor,
  { id, mapping, language = 'en' }: BodyOf<Calls['POST /api/maple/device/import/preview']>,
): Promise<ResponseOf<Calls['POST /api/maple/device/import/preview']>> {
  const { file } = await required(db, actor, id)
  checkMapping(mapping, file)
  const deviceOf = createDeviceReader(mapping)
  const errorsOf = (row: number, wrong: readonly Wrong[]) =>
    wrong.map(({ code, column, value = '', params = {} }) =>
      rowErrorOf(language, {
        row,
        column: column === undefined ? null : (file.columns[column] ?? null),
        code,
        value: shortValue(value),
        params,
      }),
    )
  const items = file.sample.map((sample) => {
    const { row } = sample
    if ('wrong' in sample) return { row, device: null, errors: errorsOf(row, [sample.wrong]) }
    const { device, wrong } = deviceOf(sample.values)
    if (!device) return { row, device, errors: errorsOf(row, wrong) }
    const { id, name, type, state, tags, attributes, ...rest } = device
    const { type: usualType, state: usualState } = newDeviceDefaults
    const shown = { id, name: name ?? id, type: type ?? usualType, state: state ?? usualState }
    const labels = { tags: tags ?? [], attributes: attributes ?? {} }
    return { row, device: { ...rest, ...shown, ...labels }, errors: [] }
  })
  return { items }
}

/** Starts the dry run. */
export function checkImport(
  context: FleetContext,
  actor: Actor,
  { id, mapping, existing }: BodyOf<Calls['POST /api/maple/device/import/check']>,
): Promise<DeviceImport> {
  return begin(context, actor, id, 'checking', async (tx, found) => {
    checkMapping(mapping, found.file)
    await queries.forgetRepeats(tx, id)
    await queries.setMapping(tx, id, { mapping, existing })
  })
}

/** Starts the import of a file whose dry run has finished. */
export const startImport = (
  context: FleetContext,
  actor: Actor,
  { id }: ById,
): Promise<DeviceImport> => begin(context, actor, id, 'running', async () => {})

const statesBefore = {
  checking: ['uploaded', 'checked'],
  running: ['checked'],
} as const

function begin(
  { db, jobs }: FleetContext,
  actor: Actor,
  id: string,
  state: 'checking' | 'running',
  prepare: (tx: FleetContext['db'], found: queries.ImportRow) => Promise<void>,
): Promise<DeviceImport> {
  const scope = scopeOf(actor)
  return db.transaction().execute(async (tx) => {
    const found = (await queries.lockImport(tx, id, scope)) ?? missing(id)
    if (!found.hasFile || !statesBefore[state].some((before) => before === found.state))
      throw new ProblemError(
        'import_not_ready',
        `The import is ${found.state}; this needs one that is ${statesBefore[state].join(' or ')}.`,
      )
    await prepare(tx, found)
    const { id: actorId, origin } = actor
    const input = { id, actor: { id: actorId, origin } }
    // An import started by an administrator stays in its own scope.
    const asked = {
      owner: ownerOf(found.serviceId, actorId),
      createdBy: actorId,
      scope: found.serviceId,
    }
    const jobId = await jobs.enqueue(tx, 'device.import', input, asked)
    const { at: position, row: nextRow } = found.file
    await queries.beginImport(tx, id, { state, jobId, position, nextRow })
    return importOf(actor, await required(tx, actor, id))
  })
}

/** Stops an import after its current batch; after a stopped check, the upload stays. */
export async function cancelImport(
  context: FleetContext,
  actor: Actor,
  { id }: ById,
): Promise<DeviceImport> {
  const { db } = context
  const before = await db.transaction().execute(async (tx) => {
    const found = (await queries.lockImport(tx, id, scopeOf(actor))) ?? missing(id)
    if (!found.hasFile || found.state === 'completed')
      throw new ProblemError('import_not_ready', `The import is ${found.state} already.`)
    await queries.setState(tx, id, found.state === 'checking' ? 'uploaded' : 'cancelled')
    if (found.state === 'running') {
      const after = { fileName: found.fileName, isCancelled: true, ...found.counts }
      await importEvents.record(tx, actor, 'device.import', id, { after })
    }
    return found
  })
  if (before.state === 'checking') await queries.forgetKeys(db, id)
  else await removeFile(context, before)
  return importOf(actor, await required(db, actor, id))
}

/** @throws ProblemError `not_found`, or why it cannot be reverted. */
export async function previewImportRevert(
  { db }: FleetContext,
  actor: Actor,
  { id }: ById,
): Promise<RevertPreview> {
  const found = await required(db, actor, id)
  assertAllowed(actor, 'import.revert', found)
  return previewRevert(db, { of: 'import', id }, scopeOfService(found.serviceId))
}

/** @throws ProblemError `not_found`, or why it cannot be reverted. */
export function revertImport(
  { db, jobs }: FleetContext,
  actor: Actor,
  { id, overwrites }: BodyOf<Calls['POST /api/maple/device/import/revert']>,
): Promise<DeviceBulk> {
  return db.transaction().execute(async (tx) => {
    const found = (await queries.lockImport(tx, id, scopeOf(actor))) ?? missing(id)
    assertAllowed(actor, 'import.revert', found)
    return startRevert(tx, jobs, actor, {
      reverts: { of: 'import', id, overwrites },
      serviceId: found.serviceId,
      shown: { import: id, fileName: found.fileName, overwrites },
    })
  })
}

type ErrorsQuery = { id: string; language?: ImportLanguage | undefined }

export async function listErrors(
  { db }: FleetContext,
  actor: Actor,
  { id, language = 'en' }: ErrorsQuery,
): Promise<ResponseOf<Calls['GET /api/maple/device/import/error']>> {
  const { errorsKept } = await required(db, actor, id)
  const errors = await queries.readErrors(db, id, { limit: listedImportErrors })
  const groups = await queries.groupErrors(db, id)
  return {
    items: errors.map((error) => rowErrorOf(language, error)),
    groups: groups.map((group) => ({ ...rowErrorOf(language, group), count: group.count })),
    kept: errorsKept,
  }
}

/** All stored errors, as CSV that is safe in a spreadsheet. */
export async function openErrorFile(
  { db }: FleetContext,
  actor: Actor,
  { id, language = 'en' }: ErrorsQuery,
): Promise<Readable> {
  await required(db, actor, id)
  return Readable.from(linesOf(db, id, language), { objectMode: false })
}

/**
 * The failed rows as uploaded, with an errors column: once corrected, the file can be imported as it
 * is. If there are many, only those whose errors are stored.
 */
export async function openFailedRows(
  { db, objects }: FleetContext,
  actor: Actor,
  { id, language = 'en' }: ErrorsQuery,
): Promise<{ stream: Readable; format: InspectedFile['format'] }> {
  const { hasFile, state, sha256, file } = await required(db, actor, id)
  const isChecked = state === 'checked' || state === 'completed'
  const object = hasFile && isChecked ? await objects.read(sha256) : undefined
  if (!object)
    throw new ProblemError('import_not_ready', 'The file of the import is not kept any more.')
  const messages = new Map<number, string>()
  for await (const { row, column, message } of eachError(db, id, language)) {
    const text = column === null ? message : `${column}: ${message}`
    messages.set(row, messages.has(row) ? `${messages.get(row)} ${text}` : text)
  }
  const stream = Readable.from(failedRows(object.stream, file, messages), { objectMode: false })
  return { stream, format: file.format }
}

const errorsAtOnce = 1000

async function* linesOf(db: FleetContext['db'], id: string, language: ImportLanguage) {
  // The byte-order mark tells a spreadsheet that the file is UTF-8.
  yield `\u{feff}${line(errorColumns[language])}`
  for await (const { row, column, value, message, code } of eachError(db, id, language))
    yield line([String(row), column ?? '', value, message, code])
}

async function* eachError(db: FleetContext['db'], id: string, language: ImportLanguage) {
  let after: { row: number; id: number } | undefined
  for (;;) {
    const errors = await queries.readErrors(db, id, { limit: errorsAtOnce, after })
    after = errors.at(-1)
    if (!after) return
    for (const error of errors) yield rowErrorOf(language, error)
  }
}

const line = (cells: readonly string[]) => `${cells.map(csvCell).join(',')}\r\n`

const rowErrorOf = (
  language: ImportLanguage,
  { row, column, code, value, params }: StoredError,
) => ({ row, column, code, value, message: errorText(language, code, params) })

/** @throws ProblemError for columns that the file does not have, and fields without one or with two. */
function checkMapping(mapping: readonly ColumnMapping[], { columns }: InspectedFile): void {
  const used = new Set<unknown>()
  for (const [index, { column, field, key }] of mapping.entries()) {
    if (column >= columns.length)
      throw invalidField(`mapping.${index}.column`, 'maximum', 'The file has no such column.')
    if (used.has(column))
      throw invalidField(`mapping.${index}.column`, 'repeated', 'The column is mapped twice.')
    if (field === 'attribute' && key === undefined)
      throw invalidField(`mapping.${index}.key`, 'required', 'Give the attribute a key.')
    const name = isRepeatable(field) ? `${field} ${key ?? column}` : field
    if (used.has(name))
      throw invalidField(
        `mapping.${index}.field`,
        'repeated',
        `Two columns are mapped to ${field}.`,
      )
    used.add(column).add(name)
  }
  if (!used.has('id')) throw invalidField('mapping', 'id_missing', 'Map a column to the id.')
}

async function required(
  db: FleetContext['db'],
  actor: Actor,
  id: string,
): Promise<queries.ImportRow> {
  return (await queries.findImport(db, id, scopeOf(actor))) ?? missing(id)
}

function missing(id: string): never {
  throw new ProblemError('not_found', `There is no import ${id}.`)
}

const sampleValues = 3

const importOf = (actor: Actor, { file, ...row }: queries.ImportRow): DeviceImport => {
  const {
    sha256: _,
    serviceId: _serviceId,
    position: _at,
    nextRow: _row,
    errorsKept: _kept,
    keepsValues: _values,
    ...facts
  } = row
  const { format, encoding, delimiter } = file
  const columns = file.columns.map((name, column) => ({
    name,
    samples: valuesOf(file.sample, column).slice(0, sampleValues).map(shortValue),
  }))
  return {
    ...facts,
    rights: rightsOf(actor, row, { revert: 'import.revert' }),
    format,
    encoding,
    delimiter,
    columns,
  }
}
