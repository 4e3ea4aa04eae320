import { sortedBy } from '../../page.rules.ts'

/**
 * A package is uploaded, loaded once on a software card to verify it, released for elements in use,
 * and revoked when it must no longer be installed.
 */
export const appletStates = ['uploaded', 'verified', 'released', 'revoked'] as const
export type AppletState = (typeof appletStates)[number]

export const appletTransitions: Record<AppletState, readonly AppletState[]> = {
  uploaded: ['verified'],
  verified: ['released', 'revoked'],
  released: ['revoked'],
  revoked: [],
}

export const appletSorting = sortedBy(['createdAt', 'name'], 'createdAt', 'desc')

export const installedSorting = sortedBy(['cplc'], 'cplc', 'asc')

/** Upload limits: those of the CAP parser. */
export const largestCapFile = 4 * 1024 * 1024

/** A count of what has an applet stops here. */
export const appletUseLimit = 10_000
/** A search reads this many names, and this many AIDs. */
export const appletSearchLimit = 1_000
