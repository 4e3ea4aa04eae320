import type { Scope } from './scope.ts'

/** The origin of an action, for the audit trail and for limits by network. */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string
  /** The bulk change that the action is part of. */
  partOf?: string
}

/** An actor's rights in a service, which looked them up for this call. */
export interface Mandate {
  rights: readonly string[]
  /** The scope of the rights. */
  scope: Scope
  /** When the account or the key expires, in milliseconds since the epoch. */
  endsAt?: number
}

/** The actor: the holder of a verified access token. */
export interface Actor {
  id: string
  roles: readonly string[]
  /** The session of the token; absent for anonymous and foreign tokens. */
  sessionId: string | undefined
  origin: Origin
  /** Set in a call that needs a right; absent for an admin who has every right everywhere. */
  mandate?: Mandate
}

/** The actor of a public call, or of a process without a request: unauthenticated. */
export interface AnonymousActor {
  id: null
  roles: readonly string[]
  sessionId: undefined
  origin: Origin
  /** Absent in a public call. */
  mandate?: Mandate
}

export type AnyActor = Actor | AnonymousActor

// Equality, not the looser "developer test" of spec §5.
export const isAdmin = ({ roles }: Pick<Actor, 'roles'>): boolean => roles.includes('ADMIN')
export const isDeveloper = ({ roles }: Pick<Actor, 'roles'>): boolean => roles.includes('DEVELOPER')

export const anonymous = (origin: Origin): AnonymousActor => ({
  id: null,
  roles: [],
  sessionId: undefined,
  origin,
})

/**
 * A change made by a command or at start-up; `userAgent` names it. It applies to everyone's objects,
 * and nobody granted its rights.
 */
export const processActor = (userAgent: string): AnonymousActor => ({
  ...anonymous({ requestId: '', ip: '', userAgent }),
  mandate: { rights: [], scope: { all: true } },
})
