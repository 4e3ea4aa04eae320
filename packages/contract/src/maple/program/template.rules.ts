import type { Sorting } from '../../page.rules.ts'

/** `draft` until the first version, and `deprecated` once it should no longer be run. */
export const templateStates = ['draft', 'published', 'deprecated'] as const
export type TemplateState = (typeof templateStates)[number]

export const templateSorting = {
  by: ['name', 'updatedAt'],
  default: 'updatedAt',
  order: 'desc',
} as const satisfies Sorting
export const templateVersionSorting = {
  by: ['number'],
  default: 'number',
  order: 'desc',
} as const satisfies Sorting
export const templateRunSorting = {
  by: ['createdAt'],
  default: 'createdAt',
  order: 'desc',
} as const satisfies Sorting
export const templateTargetSorting = {
  by: ['cplc'],
  default: 'cplc',
  order: 'asc',
} as const satisfies Sorting

export const maxTemplateNameLength = 100
export const maxTemplateTextLength = 500
export const maxStepTitleLength = 100
export const maxParameters = 32
export const maxChoices = 32
export const maxSteps = 100
export const maxStatusWords = 8
/** Maximum length of a draft, in characters of JSON. */
export const maxContentLength = 200_000
/** Maximum elements of one run. */
export const maxRunElements = 1_000
/** Maximum templates of one service provider. */
export const maxTemplates = 1_000
/** A search reads this many names. */
export const templateSearchLimit = 1_000
