import { sortedBy } from '../../page.rules.ts'

/** Roles are data of the service, so any name of this form is accepted. */
export const rolePattern = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$'
export const isRole = (text: string): boolean => new RegExp(rolePattern).test(text)
export const maxRoles = 16

/** An expiry is in UTC and in the years 2000 to 2999. */
export const expiryPattern = '^2\\d{3}-.*Z$'

/** `expiring` ones are active too. */
export const accountValidities = ['active', 'expiring', 'expired'] as const
/** An account whose expiry is nearer is expiring. */
export const expiringDays = 30
/** A search reads this many accounts. */
export const accountSearchLimit = 1_000
/** The maximum number of accounts that a list can be limited to. */
export const maxListedAccounts = 100
export type AccountValidity = (typeof accountValidities)[number]

export const accountSorting = sortedBy(['createdAt', 'expiresAt', 'id'], 'createdAt', 'desc')
