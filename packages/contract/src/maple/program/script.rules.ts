import { sortedBy } from '../../page.rules.ts'

export const scriptSorting = sortedBy(['updatedAt', 'name'], 'updatedAt', 'desc')

export const scriptVersionSorting = sortedBy(['number'], 'number', 'desc')

export const scriptRunSorting = sortedBy(['createdAt'], 'createdAt', 'desc')

export const maxScriptNameLength = 80
export const maxScriptNoteLength = 500
/** Characters of a script, which is text that a person reads. */
export const maxScriptLength = 100_000
/** A search reads this many names. */
export const scriptSearchLimit = 1000
/** Maximum elements of one batch, and of a draft, whose code each run stores. */
export const maxScriptElements = 1000
export const maxDraftElements = 20
export const maxScriptInputs = 50
export const maxInputNameLength = 60
export const maxInputValueLength = 20_000
/** Retention of runs. */
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

/** Whether a run is unfinished. */
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

/** What a run waits for: a person's answer, or the release of the next command. */
export const questionTypes = ['prompt', 'step'] as const
export type QuestionType = (typeof questionTypes)[number]
/** Sends the next command, or it and all that follow. */
export const stepAnswers = ['next', 'run'] as const
/** Maximum characters of a question, of an answer, and of the call shown by a step. */
export const maxPromptLength = 500
export const maxAnswerLength = 4000
export const maxShownCallLength = 2000
/** Questions of one run, steps apart. */
export const maxQuestions = 50
/** Default and maximum time for an answer, in seconds. */
export const promptSeconds = 300
export const maxPromptSeconds = 600

/** Bytes in hex: four or more, so that they are found where a card repeats them. */
export const scriptSecretPattern = '^([0-9A-Fa-f]{2}){4,2048}$'

/** The names that a script requests with `input('…')`, in order. */
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
