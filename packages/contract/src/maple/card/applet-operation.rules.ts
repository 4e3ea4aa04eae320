import { sortedBy } from '../../page.rules.ts'

export const operationSorting = sortedBy(['createdAt'], 'createdAt', 'desc')

export const targetSorting = sortedBy(['cplc'], 'cplc', 'asc')

/** Operations on the applets of elements. `read` changes nothing: it reads what is installed. */
export const operationKinds = ['install', 'upgrade', 'uninstall', 'read'] as const
export type OperationKind = (typeof operationKinds)[number]

/** Maximum elements of one operation, and of one pre-flight. */
export const maxTargets = 1_000
export const maxPreflight = 200
/** Maximum instances of one package. */
export const maxInstances = 16
/** Maximum bytes of install parameters. */
export const maxParametersLength = 128
/** Maximum number of tokens made by others for an operation. */
export const maxTokens = 64
/** Of a command or a token, in hexadecimal. */
export const maxTokenLength = 2000
/** How many bytes an element may reserve, as INSTALL writes them. */
export const maxMemory = 0xffff_ffff

/** The outcome of an operation for one element. */
export const targetStates = [
  'waiting',
  'running',
  'succeeded',
  /** It was as wanted already. */
  'unchanged',
  'refused',
  'failed',
  /** A command got no definite answer, and rereading the card did not resolve it. */
  'unknown',
  'cancelled',
] as const
export type TargetState = (typeof targetStates)[number]

/** Where an operation is at an element. */
export const operationSteps = ['open', 'read', 'delete', 'load', 'install', 'check'] as const
export type OperationStep = (typeof operationSteps)[number]

/** Findings of a pre-flight, and reasons for the outcome of an operation. */
export const findingCodes = [
  'not_released',
  'revoked',
  'element_terminated',
  'element_locked',
  'element_blocked',
  'no_keys',
  'no_route',
  'session_busy',
  'import_missing',
  'import_old',
  'imports_unknown',
  'import_unlisted',
  'never_read',
  'cap_unlinkable',
  'cap_errors',
  'memory_short',
  'memory_unknown',
  'aid_taken',
  'same_version',
  'other_version',
  'not_installed',
  'in_use',
  'data_lost',
  'is_domain',
  'card_refused',
  /** Probable causes of a refusal. */
  'cause_imports',
  'cause_rom',
  'cause_memory',
  'cause_integers',
  'cause_format',
  'cause_install',
  'left_loaded',
  'no_answer',
  'wrong_keys',
  'token_missing',
  'domain_missing',
  'domain_unable',
  'receipt_valid',
  'receipt_wrong',
  'receipt_unchecked',
  'unexpected',
] as const
export type FindingCode = (typeof findingCodes)[number]

export const findingSeverities = ['refused', 'warning', 'note'] as const
export type FindingSeverity = (typeof findingSeverities)[number]
