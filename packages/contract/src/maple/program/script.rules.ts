import type { Sorting } from '../../page.rules.ts'

export const scriptSorting = {
  by: ['updatedAt', 'name'],
  default: 'updatedAt',
  order: 'desc',
} as const satisfies Sorting

export const scriptVersionSorting = {
  by: ['number'],
  default: 'number',
  order: 'desc',
} as const satisfies Sorting

export const scriptRunSorting = {
  by: ['createdAt'],
  default: 'createdAt',
  order: 'desc',
} as const satisfies Sorting

export const maxScriptNameLength = 80
export const maxScriptNoteLength = 500
/** Characters of a script, which is text that a person reads. */
export const maxScriptLength = 100_000
/** A search looks at this many names. */
export const scriptSearchLimit = 1000
/** The most elements that a script is run on at once, and of a draft, whose code each run keeps. */
export const maxScriptElements = 1000
export const maxDraftElements = 20
export const maxScriptInputs = 50
export const maxInputNameLength = 60
export const maxInputValueLength = 20_000
/** Runs are kept so long. */
export const scriptRunDays = 90

/**
 * `skipped`: the element could not be reached or was busy, so nothing was sent. `timed_out`: the
 * script used up its time or its steps.
 */
export const scriptRunStates = [
  'waiting',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'skipped',
  'cancelled',
] as const
export type ScriptRunState = (typeof scriptRunStates)[number]

/** Whether something can still come of a run. */
export const isRunning = (state: ScriptRunState): boolean =>
  state === 'waiting' || state === 'running'

/** Why a run did not succeed; `threw` has words of the script, `refused` of the platform. */
export const scriptCauses = [
  'threw',
  'deadline',
  'fuel',
  'memory',
  'log',
  'cancelled',
  'cut_off',
  'refused',
] as const
export type ScriptCause = (typeof scriptCauses)[number]

/** What a run waits for: an answer of a person, or that the next command may go. */
export const questionTypes = ['prompt', 'step'] as const
export type QuestionType = (typeof questionTypes)[number]
/** Sends the next command, or it and all that follow. */
export const stepAnswers = ['next', 'run'] as const
/** Characters of a question, of an answer, and of the call that a step shows. */
export const maxPromptLength = 500
export const maxAnswerLength = 4000
export const maxShownCallLength = 2000
/** Questions of one run, steps apart. */
export const maxQuestions = 50
/** Seconds that a person has for an answer: unless told, and at most. */
export const promptSeconds = 300
export const maxPromptSeconds = 600

/** Bytes in hex: four or more, so that they are found where a card repeats them. */
export const scriptSecretPattern = '^([0-9A-Fa-f]{2}){4,2048}$'

/** The names that a script asks for by `input('…')`, in their order. */
export function inputNamesOf(code: string): string[] {
  const names = new Set<string>()
  const pattern = new RegExp(
    `\\binput\\(\\s*(['"\`])([^'"\`\\\\\\n$]{1,${maxInputNameLength}})\\1`,
    'g',
  )
  for (const [, , name] of code.matchAll(pattern)) {
    if (name !== undefined && names.size < maxScriptInputs) names.add(name)
  }
  return [...names]
}
