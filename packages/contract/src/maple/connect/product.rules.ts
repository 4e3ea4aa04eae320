import type { Sorting } from '../../page.rules.ts'

/**
 * In development, devices can get images that are only verified. In production they get released
 * ones alone. At its end of life a product takes no new devices by claim codes; those that it has
 * keep working and can be updated.
 */
export const mapleProductStates = ['development', 'production', 'endOfLife'] as const
export type MapleProductState = (typeof mapleProductStates)[number]

/** An end of life can be taken back: devices may still be in a warehouse. */
export const mapleProductTransitions: Record<MapleProductState, readonly MapleProductState[]> = {
  development: ['production', 'endOfLife'],
  production: ['endOfLife'],
  endOfLife: ['production'],
}

export const mapleProductSorting = {
  by: ['createdAt', 'name'],
  default: 'createdAt',
  order: 'desc',
} as const satisfies Sorting

export const maxProductNameLength = 100
export const maxModelLength = 60
export const maxRevisionLength = 20
export const maxRevisions = 20
/** Products of one service provider. */
export const maxProducts = 1_000
/** A search looks at this many names, and at this many models. */
export const mapleProductSearchLimit = 1_000
/** Devices of each state are counted up to here. */
export const productCountLimit = 10_000
