import type { I18n } from '@lingui/core'
import { fieldText, problemText } from './problem-text.ts'
import { ApiProblem } from './problem.ts'

interface Fields {
  /** Maps a path of the request to another field, where the form has a different shape. */
  fieldOf?: (path: string) => string
  /** Fields for problems that name none, by code. */
  fieldOfCode?: Record<string, string> | undefined
}

/** Why each field was refused, mapped from the paths of the request (`translations.0.title`). */
export function fieldErrors(
  error: unknown,
  i18n: I18n,
  { fieldOf = (path) => path, fieldOfCode = {} }: Fields = {},
): Record<string, string> {
  if (!(error instanceof ApiProblem)) return {}
  const field = fieldOfCode[error.code]
  if (field !== undefined) return { [field]: problemText(error, i18n) }
  const entries = error.fields.map((each) => [fieldOf(each.path), fieldText(each, i18n)] as const)
  // Reversed, so that the first problem of a field wins.
  return Object.fromEntries(entries.toReversed())
}
