import type { ArtifactTransitions } from '../../core/artifact.rules.ts'
import { sortedBy } from '../../page.rules.ts'

/** It is verified by loading it on a software card. */
export const appletTransitions: ArtifactTransitions = {
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
