import type { Actor } from '../../../core/actor.ts'
import { scopeOf, serviceOf } from '../../../core/scope.ts'

/** The owner of a job for fair scheduling: the service provider, or the person if unlimited. */
export const ownerOf = (serviceId: string | null, personId: string | null): string =>
  serviceId ?? `person ${personId ?? ''}`

/** A job's fields about the requesting person. */
export const turnOf = (actor: Actor) => ({
  owner: ownerOf(serviceOf(scopeOf(actor)), actor.id),
  createdBy: actor.id,
})
