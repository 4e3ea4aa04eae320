import { sortedBy } from '../page.rules.ts'

/** App Store limits a title to 30 characters, the shortest of the large catalogues. */
export const maxTitleLength = 30

export const productStatuses = ['live', 'draft'] as const
export type ProductStatus = (typeof productStatuses)[number]

export const productSorting = sortedBy(['title', 'updatedAt', 'createdAt'], 'updatedAt', 'desc')
