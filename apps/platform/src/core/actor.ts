/** Where an action comes from, for the audit trail and for limits by network. */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string
}

/** Who acts: the holder of a verified access token. */
export interface Actor {
  id: string
  roles: readonly string[]
  /** The session of the token; absent for anonymous and foreign tokens. */
  sessionId: string | undefined
  origin: Origin
}

/** Who acts in a public call, or in a process without a request: nobody that is known. */
export interface AnonymousActor {
  id: null
  roles: readonly string[]
  sessionId: undefined
  origin: Origin
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
