import { sortedBy } from '../../page.rules.ts'

/** `checking` is the dry run, which writes no device. */
export const importStates = [
  'uploaded',
  'checking',
  'checked',
  'running',
  'completed',
  'cancelled',
  'failed',
] as const
export type ImportState = (typeof importStates)[number]

export const importFormats = ['csv', 'jsonl'] as const
export type ImportFormat = (typeof importFormats)[number]

export const importEncodings = ['utf-8', 'utf-16le', 'utf-16be'] as const
export type ImportEncoding = (typeof importEncodings)[number]

/** The import targets of a column. Several columns can be CPLCs, and separate attributes. */
export const importFields = [
  'id',
  'name',
  'type',
  'state',
  'cplc',
  'innerId',
  'serviceId',
  'tags',
  'attributes',
  'attribute',
] as const
export type ImportField = (typeof importFields)[number]

/** What happens to an existing device: nothing, or an update from the row. */
export const existingChoices = ['keep', 'update'] as const
export type ExistingChoice = (typeof existingChoices)[number]

/** Bytes of one row. */
export const maxImportRowLength = 256 * 1024
export const maxImportColumns = 100
/** Fields that several columns can have. */
export const isRepeatable = (field: ImportField): boolean =>
  field === 'cplc' || field === 'attribute'

export const maxColumnNameLength = 100
/** Rows stored for the preview. */
export const previewRows = 10
/** Maximum stored errors of one import; all are counted. */
export const maxImportErrors = 10_000
/** Errors in one response; the file has them all. */
export const listedImportErrors = 100

/** Why a file cannot be imported at all. */
export const fileProblems = [
  'empty',
  'binary',
  'not_utf8',
  'not_utf16',
  'json_array',
  'no_columns',
  'too_many_columns',
] as const
export type FileProblem = (typeof fileProblems)[number]

/** What is wrong with a row. */
export const rowProblems = [
  'cell_count',
  'stray_quote',
  'text_after_quote',
  'open_quote',
  'row_too_long',
  'not_utf8',
  'not_json',
  'json_too_deep',
  'unknown_key',
  'wrong_kind',
  'missing',
  'bad_id',
  'name_too_long',
  'name_unreadable',
  'unknown_value',
  'cplc_not_hex',
  'cplc_length',
  'too_many_elements',
  'bad_tag',
  'too_many_tags',
  'bad_attribute',
  'too_many_attributes',
  'unknown_service',
  'service_suspended',
  'repeated',
  'id_taken',
  'element_elsewhere',
  'inner_id_taken',
  'transition_refused',
] as const
export type RowProblem = (typeof rowProblems)[number]

export const importLanguages = ['en', 'ru'] as const
export type ImportLanguage = (typeof importLanguages)[number]

export const importSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
