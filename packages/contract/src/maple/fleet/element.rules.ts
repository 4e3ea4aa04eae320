import { sortedBy, type SortOf } from '../../page.rules.ts'

/**
 * The life-cycle states of a card (GlobalPlatform Card Specification 2.3.1, 5.1), and two of ours:
 * `unknown` until a chip is read, `blocked` after a wrong cryptogram, so that further attempts do not
 * brick the chip.
 */
export const elementStates = [
  'unknown',
  'opReady',
  'initialized',
  'secured',
  'cardLocked',
  'terminated',
  'blocked',
] as const
export type ElementState = (typeof elementStates)[number]

/** The fabricator and type of a chip: the first 4 bytes of its CPLC. */
export const chipTypePattern = '^[0-9A-F]{8}$'
export const isChipType = (text: string): boolean => new RegExp(chipTypePattern).test(text)

export const elementSorting = sortedBy(['cplc', 'chipId', 'state', 'updatedAt'], 'cplc', 'asc')
export type ElementSort = SortOf<typeof elementSorting>

interface ElementFilters {
  cplc?: string | undefined
  q?: string | undefined
  profile?: string | undefined
  hasProfile?: boolean | undefined
  chipType?: string | undefined
  state?: string | undefined
  attached?: boolean | undefined
  hsm?: boolean | undefined
  reading?: string | undefined
}

/** The sort orders of a list under its filters, such that a page is a few ranges of an index. */
export function elementSortsOf({
  cplc,
  q,
  profile,
  hasProfile,
  chipType,
  state,
  attached,
  hsm,
  reading,
}: ElementFilters): readonly ElementSort[] {
  if (cplc !== undefined || q?.trim() || reading !== undefined) return elementSorting.by
  const isByProfile = profile !== undefined || hasProfile !== undefined
  const hasFacets = [state, attached, hsm].some((filter) => filter !== undefined)
  return elementSorting.by.filter(
    (sort) =>
      (sort !== 'updatedAt' || (!isByProfile && chipType === undefined)) &&
      (sort !== 'chipId' || (!isByProfile && !hasFacets)),
  )
}

/** A search reads this many matches; a count stops here. */
export const elementSearchLimit = 2_000
export const elementCountLimit = 10_000

/** Maximum number of elements in a file of chosen ones, which is also the limit of a request. */
export const maxExportedElements = 1_000

export const profileIdPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
export const isProfileId = (text: string): boolean => new RegExp(profileIdPattern).test(text)
export const maxProfileNameLength = 100

/** The platform of a chip, which the rule of a profile matches: the first 10 bytes of its CPLC. */
export const platformDigits = 20
export const platformPattern = `^[0-9A-Fa-f]{${platformDigits}}$`
export const isPlatform = (text: string): boolean => new RegExp(platformPattern).test(text)

/** Maximum profiles, and maximum platforms of elements in their list. */
export const maxProfiles = 200
