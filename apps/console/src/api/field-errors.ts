import type { I18n } from '@lingui/core'
import { fieldText } from './problem-text.ts'
import { ApiProblem } from './problem.ts'

/**
 * What each field of a form was refused for, by the paths of the request (`translations.0.title`).
 * `fieldOf` puts a path on another field where the form is shaped unlike the request.
 */
export function fieldErrors(
  error: unknown,
  i18n: I18n,
  fieldOf: (path: string) => string = (path) => path,
): Record<string, string> {
  if (!(error instanceof ApiProblem)) return {}
  const entries = error.fields.map(
    (field) => [fieldOf(field.path), fieldText(field, i18n)] as const,
  )
  // The first problem of a field is the one to mend first.
  return Object.fromEntries(entries.toReversed())
}
