import type { Actor } from '../../../core/actor.ts'
import { scopeOf, serviceOf } from '../../../core/scope.ts'

/** Whose turn a job takes: the service provider's, or the person's who works for all of them. */
export const ownerOf = (serviceId: string | null, personId: string | null): string =>
  serviceId ?? `person ${personId ?? ''}`

/** What a job says of the person who asks for it. */
export const turnOf = (actor: Actor) => ({
  owner: ownerOf(serviceOf(scopeOf(actor)), actor.id),
  createdBy: actor.id,
})
