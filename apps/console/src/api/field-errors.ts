import type { I18n } from '@lingui/core'
import { fieldText, problemText } from './problem-text.ts'
import { ApiProblem } from './problem.ts'

interface Fields {
  /** Puts a path of the request on another field, where the form is shaped unlike it. */
  fieldOf?: (path: string) => string
  /** Fields of problems that name none, by code. */
  fieldOfCode?: Record<string, string> | undefined
}

/** What each field of a form was refused for, by the paths of the request (`translations.0.title`). */
export function fieldErrors(
  error: unknown,
  i18n: I18n,
  { fieldOf = (path) => path, fieldOfCode = {} }: Fields = {},
): Record<string, string> {
  if (!(error instanceof ApiProblem)) return {}
  const field = fieldOfCode[error.code]
  if (field !== undefined) return { [field]: problemText(error, i18n) }
  const entries = error.fields.map((each) => [fieldOf(each.path), fieldText(each, i18n)] as const)
  // The first problem of a field is the one to mend first.
  return Object.fromEntries(entries.toReversed())
}
