import { sortedBy } from '../page.rules.ts'

export const providerRequestStates = ['open', 'approved', 'refused', 'withdrawn'] as const
export type ProviderRequestState = (typeof providerRequestStates)[number]

/** Of what the provider is for, and of why it is refused. */
export const maxRequestTextLength = 300

/** Requests of one person within a day, withdrawn ones too. */
export const maxRequestsPerDay = 5

export const providerRequestSorting = sortedBy(['createdAt'], 'createdAt', 'desc')
