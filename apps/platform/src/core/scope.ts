import { sql, type RawBuilder } from 'kysely'
import { isAdmin, type AnyActor } from './actor.ts'
import { ProblemError } from './http/problem.ts'

/** Whose objects someone can see and change: everyone's, or those of one service provider. */
export type Scope = { readonly all: true } | { readonly serviceId: string }

export const everything: Scope = { all: true }

/**
 * The scope of an actor. An administrator without a grant has everything; anyone else without one has
 * nothing. @throws ProblemError `forbidden`.
 */
export function scopeOf({ mandate, roles }: Pick<AnyActor, 'mandate' | 'roles'>): Scope {
  if (mandate) return mandate.scope
  if (isAdmin({ roles })) return everything
  throw new ProblemError('forbidden', 'You do not have the right to do this.')
}

/**
 * The scope of an account or of work stored with its service provider. Without one it belongs to the
 * platform itself, which only someone with full scope can create.
 */
export const scopeOfService = (serviceId: string | null): Scope =>
  serviceId === null ? everything : { serviceId }

/** The service provider that objects created in a scope belong to; null for the platform itself. */
export const serviceOf = (scope: Scope): string | null =>
  'serviceId' in scope ? scope.serviceId : null

/** Whether an object of a service provider, or of none, is in a scope. */
export const isInScope = (scope: Scope, serviceId: string | null | undefined): boolean =>
  !('serviceId' in scope) || scope.serviceId === serviceId

/** The SQL condition that a column's service provider is within a scope. */
export const inScope = (scope: Scope, column: string): RawBuilder<unknown> =>
  'serviceId' in scope ? sql`${sql.ref(column)} = ${scope.serviceId}` : sql`true`
