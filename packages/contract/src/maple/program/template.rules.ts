import { sortedBy } from '../../page.rules.ts'

/** `draft` until the first version, and `deprecated` once it should no longer be run. */
export const templateStates = ['draft', 'published', 'deprecated'] as const
export type TemplateState = (typeof templateStates)[number]

export const templateSorting = sortedBy(['name', 'updatedAt'], 'updatedAt', 'desc')
export const templateVersionSorting = sortedBy(['number'], 'number', 'desc')
export const templateRunSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
export const templateTargetSorting = sortedBy(['cplc'], 'cplc', 'asc')

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
