import { Type } from 'typebox'
import { creates, defineCalls, listsBy } from '../../call.ts'
import { Nullable, Right, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { bulkResultDays } from '../base/bulk.rules.ts'
import { Bulk, overwrites, Revert, revertProblems, RevertPreview } from './device-bulk.ts'
import {
  existingChoices,
  importEncodings,
  importFields,
  importFormats,
  importLanguages,
  importSorting,
  importStates,
  maxImportColumns,
  rowProblems,
} from './device-import.rules.ts'
import { attributeKeyPattern, attributeTypes, deviceStates, deviceTypes } from './device.rules.ts'

const Field = Type.Enum(importFields)

/** The import target of a column, counted from 0. Unlisted columns are skipped. */
const ColumnMapping = Strict({
  column: Type.Integer({ minimum: 0, maximum: maxImportColumns - 1 }),
  field: Field,
  /** The key and type of an `attribute`. */
  key: Type.Optional(Type.String({ pattern: attributeKeyPattern })),
  type: Type.Optional(Type.Enum(attributeTypes)),
})
export type ColumnMapping = Type.Static<typeof ColumnMapping>

const mapping = Type.Array(ColumnMapping, { minItems: 1, maxItems: maxImportColumns })

const Counts = Type.Object({
  created: Type.Integer(),
  changed: Type.Integer(),
  /** Existing devices that already match the row, or stay unchanged. */
  unchanged: Type.Integer(),
  wrong: Type.Integer(),
})
export type ImportCounts = Type.Static<typeof Counts>

const DeviceImport = Type.Object({
  id: Uuid,
  state: Type.Enum(importStates),
  fileName: Type.String(),
  bytes: Type.Integer(),
  format: Type.Enum(importFormats),
  encoding: Type.Enum(importEncodings),
  /** Between the cells of a CSV file. */
  delimiter: Nullable(Type.String()),
  /** The columns of the header, or the keys of the first objects, with values of the first rows. */
  columns: Type.Array(Type.Object({ name: Type.String(), samples: Type.Array(Type.String()) })),
  mapping: Type.Array(ColumnMapping),
  existing: Type.Enum(existingChoices),
  /** Bytes of the file that are read. */
  done: Type.Integer(),
  /** Of the dry run; null before its end. */
  checked: Nullable(Counts),
  /** Of the import, or of the dry run that is under way. */
  counts: Counts,
  /** Whether the file is still stored, which a check and an import need. */
  hasFile: Type.Boolean(),
  /** Why it failed. */
  failure: Nullable(Type.String()),
  revertedBy: Nullable(Revert),
  rights: Type.Object({
    revert: Right('bulk_running', 'bulk_reverted', 'bulk_complete', 'bulk_expired'),
  }),
  createdBy: Nullable(Type.String()),
  createdAt: Timestamp,
  startedAt: Nullable(Timestamp),
  finishedAt: Nullable(Timestamp),
})
export type DeviceImport = Type.Static<typeof DeviceImport>

const RowError = Type.Object({
  row: Type.Integer(),
  column: Nullable(Type.String()),
  code: Type.Enum(rowProblems),
  /** The beginning of the value. */
  value: Type.String(),
  /** What is wrong, and how to fix it. */
  message: Type.String(),
})
export type ImportRowError = Type.Static<typeof RowError>

const PreviewDevice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.Enum(deviceTypes),
  state: Type.Enum(deviceStates),
  cplc: Type.Array(Type.String()),
  innerId: Nullable(Type.String()),
  serviceId: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  attributes: Type.Record(
    Type.String(),
    Type.Object({
      type: Type.Enum(attributeTypes),
      value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
    }),
  ),
})
export type ImportPreview = Type.Static<typeof PreviewDevice>

const one = Strict({ id: Uuid })
const ofOne = Strict({ id: Uuid, language: Type.Optional(Type.Enum(importLanguages)) })
const changesImport = {
  response: DeviceImport,
  problems: ['not_found', 'import_not_ready'],
} as const
const access = { right: 'device.import', isScoped: true } as const

export const deviceImportCalls = defineCalls('maple', access, {
  'GET /api/maple/device/import': {
    summary: 'List the imports of devices, the newest first',
    ...listsBy(DeviceImport, importSorting, { id: Uuid }),
  },
  'POST /api/maple/device/import': {
    summary: 'Upload a file of devices',
    description:
      'CSV (separated by commas, semicolons or tabs) or JSON Lines, in UTF-8 or UTF-16. Answers the columns and what each looks like; nothing is imported yet.',
    form: Strict({}),
    ...creates(DeviceImport, 'file_missing', 'file_too_large', 'import_unreadable'),
  },
  'POST /api/maple/device/import/preview': {
    summary: 'Show the first rows of a file as devices',
    body: Strict({ id: Uuid, mapping, language: Type.Optional(Type.Enum(importLanguages)) }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          row: Type.Integer(),
          device: Nullable(PreviewDevice),
          errors: Type.Array(RowError),
        }),
      ),
    }),
    problems: ['not_found'],
  },
  'POST /api/maple/device/import/check': {
    summary: 'Check every row of a file',
    description: 'A dry run: writes no device, and counts what an import would do.',
    body: Strict({ id: Uuid, mapping, existing: Type.Enum(existingChoices) }),
    ...changesImport,
  },
  'POST /api/maple/device/import/start': {
    summary: 'Import the devices of a checked file',
    description:
      'Leaves out the rows that are wrong. The same file twice changes nothing more. In a scope, new devices become those of its service provider, and the devices of others are taken.',
    body: one,
    ...changesImport,
  },
  'POST /api/maple/device/import/cancel': {
    summary: 'Cancel an import, or discard its file',
    description: 'What is imported by then stays. A check that is cancelled can be made again.',
    body: one,
    ...changesImport,
  },
  'GET /api/maple/device/import/revert': {
    summary: 'Show what a revert of an import would do',
    query: one,
    response: RevertPreview,
    problems: ['not_found', ...revertProblems],
  },
  'POST /api/maple/device/import/revert': {
    summary: 'Revert an import',
    description: `A job deletes the devices that the import made, and gives those that it changed their former values. Devices that somebody else has changed or used since are left as they are; if they are overwritten, those that the import made are retired. Former values are kept for ${bulkResultDays} days. What is deleted comes back with another import of the file.`,
    body: Strict({ id: Uuid, overwrites }),
    ...creates(Bulk, 'not_found', ...revertProblems),
  },
  'GET /api/maple/device/import/error': {
    summary: 'List the first errors of an import, and all by what is wrong',
    query: ofOne,
    response: Type.Object({
      items: Type.Array(RowError),
      /** All stored errors by message and column, each with the first one as an example. */
      groups: Type.Array(Type.Object({ ...RowError.properties, count: Type.Integer() })),
      /** How many the file of errors has. */
      kept: Type.Integer(),
    }),
    problems: ['not_found'],
  },
  'GET /api/maple/device/import/row/file': {
    summary: 'Download the rows that are wrong, to mend and import them',
    description:
      'The rows in the format of the file, with their errors in one more column, `import_errors`, which an import ignores. The file is kept for seven days.',
    query: ofOne,
    response: Type.Any(),
    produces: 'text/csv',
    problems: ['not_found', 'import_not_ready'],
  },
  'GET /api/maple/device/import/error/file': {
    summary: 'Download the errors of an import as CSV',
    query: ofOne,
    response: Type.Any(),
    produces: 'text/csv',
    problems: ['not_found'],
  },
})
