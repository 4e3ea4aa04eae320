import { sortedBy } from '../../page.rules.ts'

/**
 * In development, devices can also get images that are only verified. In production they get only
 * released ones. At its end of life a product accepts no new devices by claim codes; existing ones
 * keep working and can be updated.
 */
export const mapleProductStates = ['development', 'production', 'endOfLife'] as const
export type MapleProductState = (typeof mapleProductStates)[number]

/** An end of life can be undone: devices may still be in a warehouse. */
export const mapleProductTransitions: Record<MapleProductState, readonly MapleProductState[]> = {
  development: ['production', 'endOfLife'],
  production: ['endOfLife'],
  endOfLife: ['production'],
}

export const mapleProductSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const maxProductNameLength = 100
export const maxModelLength = 60
export const maxRevisionLength = 20
export const maxRevisions = 20
/** Products of one service provider. */
export const maxProducts = 1_000
/** A search reads this many names, and this many models. */
export const mapleProductSearchLimit = 1_000
/** Devices of each state are counted up to here. */
export const productCountLimit = 10_000
