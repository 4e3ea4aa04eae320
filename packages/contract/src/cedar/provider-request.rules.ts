import { sortedBy } from '../page.rules.ts'

export const providerRequestStates = ['open', 'approved', 'refused', 'withdrawn'] as const
export type ProviderRequestState = (typeof providerRequestStates)[number]

/** Of a request's purpose, and of the reason for a refusal. */
export const maxRequestTextLength = 300

/** Requests of one person within a day, including withdrawn ones. */
export const maxRequestsPerDay = 5

export const providerRequestSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
