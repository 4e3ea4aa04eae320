import type { Order } from '../page.rules.ts'

/** App Store limits a title to 30 characters, the shortest of the large catalogues. */
export const longestTitle = 30

export const productStatuses = ['live', 'draft'] as const
export type ProductStatus = (typeof productStatuses)[number]

export const productSorts = ['title', 'updatedAt', 'createdAt'] as const
export type ProductSort = (typeof productSorts)[number]
export const defaultProductSort: ProductSort = 'updatedAt'
export const defaultProductOrder: Order = 'desc'
