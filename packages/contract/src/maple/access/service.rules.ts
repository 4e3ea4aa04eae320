import { sortedBy } from '../../page.rules.ts'

/** Lower-case ASCII without the separators of a URL, so that an id reads the same in an address. */
export const maxServiceIdLength = 64
export const serviceIdPattern = `^[a-z0-9][a-z0-9._-]{0,${maxServiceIdLength - 1}}$`
export const isServiceId = (text: string): boolean => new RegExp(serviceIdPattern).test(text)

export const maxServiceNameLength = 100

/**
 * The accounts of a suspended service have no rights, and nothing can be added to it. Existing
 * objects stay unchanged.
 */
export const serviceStates = ['active', 'suspended'] as const
export type ServiceState = (typeof serviceStates)[number]

export const serviceSorting = sortedBy(['name', 'id', 'createdAt'], 'name', 'asc')

/** A search reads this many ids and this many names. */
export const serviceSearchLimit = 1_000
/** How many days the use of a service is shown for. */
export const defaultActivityDays = 30
export const maxActivityDays = 90

/** A count of what uses a service stops here. */
export const serviceUseLimit = 10_000
