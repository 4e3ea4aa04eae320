/** Where an action comes from, for the audit trail and for limits by network. */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string
}

/** What someone may do in a service, which looked it up for this call. */
export interface Mandate {
  rights: readonly string[]
  /** The service provider whose objects it is limited to; null where it is not. */
  scope: string | null
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

/** The service provider whose objects alone someone sees and changes; null for those of all. */
export const scopeOf = ({ mandate }: { mandate?: Mandate | undefined }): string | null =>
  mandate?.scope ?? null

/** Who acts in a public call, or in a process without a request: nobody that is known. */
export interface AnonymousActor {
  id: null
  roles: readonly string[]
  sessionId: undefined
  origin: Origin
  mandate?: undefined
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

/** A change that a command or a start of the platform makes; `userAgent` names it. */
export const processActor = (userAgent: string): AnonymousActor =>
  anonymous({ requestId: '', ip: '', userAgent })
