import type { Scope } from './scope.ts'

/** Where an action comes from, for the audit trail and for limits by network. */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string
}

/** What someone may do in a service, which looked it up for this call. */
export interface Mandate {
  rights: readonly string[]
  /** Whose objects it is for. */
  scope: Scope
  /** When the account or the key ends by its date, in milliseconds since the epoch. */
  endsAt?: number
}

/** Who acts: the holder of a verified access token. */
export interface Actor {
  id: string
  roles: readonly string[]
  /** The session of the token; absent for anonymous and foreign tokens. */
  sessionId: string | undefined
  origin: Origin
  /** In a call that needs a right; absent for an admin who has every right everywhere. */
  mandate?: Mandate
}

/** Who acts in a public call, or in a process without a request: nobody that is known. */
export interface AnonymousActor {
  id: null
  roles: readonly string[]
  sessionId: undefined
  origin: Origin
  /** Absent in a public call. */
  mandate?: Mandate
}

export type AnyActor = Actor | AnonymousActor

// design.md decision 1: equality, not the looser "developer test" of spec §5.
export const isAdmin = ({ roles }: Pick<Actor, 'roles'>): boolean => roles.includes('ADMIN')
export const isDeveloper = ({ roles }: Pick<Actor, 'roles'>): boolean => roles.includes('DEVELOPER')

export const anonymous = (origin: Origin): AnonymousActor => ({
  id: null,
  roles: [],
  sessionId: undefined,
  origin,
})

/**
 * A change that a command or a start of the platform makes; `userAgent` names it. It concerns the
 * objects of everyone, and has no right that somebody gave.
 */
export const processActor = (userAgent: string): AnonymousActor => ({
  ...anonymous({ requestId: '', ip: '', userAgent }),
  mandate: { rights: [], scope: { all: true } },
})
