import type { CardProfileName } from '@grove/secure-element/card/card-profile'
import { sortedBy } from '../../page.rules.ts'

/** Kinds of new software cards, the best to start with first. */
export const cardKinds = [
  'scp03',
  'scp03-aes256',
  'scp03-basic',
  'scp03-s16',
  'scp11',
  'scp02',
  'jcop3',
  'no-cplc',
  'small',
  'locked',
] as const satisfies CardProfileName[]
export type CardKind = (typeof cardKinds)[number]
export const defaultCardKind: CardKind = 'scp03'

/** What can be broken on purpose. */
export const faultNames = [
  'powerCutBeforeWrite',
  'wrongStatusWord',
  'isCounterStuck',
  'hasOtherKeys',
  'delay',
] as const
export type FaultName = (typeof faultNames)[number]
/** Faults of a dry run, which is too short for a slow card to matter. */
export const dryRunFaults = [
  'wrongStatusWord',
  'powerCutBeforeWrite',
  'isCounterStuck',
  'hasOtherKeys',
] as const satisfies FaultName[]

/** Writes are counted from the moment of the change. */
export const latestPowerCut = 1_000
/** In milliseconds. */
export const maxDelay = 5_000
/** One byte and two bytes as hex; a status word begins with 6 or 9. */
export const instructionPattern = '^[0-9A-Fa-f]{2}$'
export const statusWordPattern = '^[69][0-9A-Fa-f]{3}$'
export const isInstruction = (text: string): boolean => new RegExp(instructionPattern).test(text)
export const isStatusWordText = (text: string): boolean => new RegExp(statusWordPattern).test(text)

export const maxCardNameLength = 100
export const maxSnapshotNameLength = 100
export const maxSeedLength = 100

/** Maximum software cards of one service provider, and snapshots of one card. */
export const maxCards = 200
export const maxSnapshots = 20

export const cardSorting = sortedBy(['name', 'createdAt'], 'createdAt', 'desc')

/** A search reads this many names. */
export const cardSearchLimit = 1_000
