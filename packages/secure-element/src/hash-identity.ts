import { createHash } from 'node:crypto'
import { derivedId, type IdentitySource } from './derived-id.ts'

/** The id derived from a card's numbers, given in hex, upper case. */
export const hashIdentity = (source: IdentitySource, ...numbers: string[]): string =>
  derivedId(
    source,
    createHash('sha256')
      .update(['grove card', source, ...numbers].join(' '))
      .digest('hex')
      .toUpperCase(),
  )
