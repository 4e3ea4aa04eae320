import { redirect } from '@tanstack/react-router'
import { localPath } from './local-path.ts'
import { homePage, isSessionCurrent } from '../../session/session.ts'

/** `from`: the page to return to after signing in. */
// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface is not assignable to a record
export type Visit = { from?: string }

/** Search parameters of the sign-in pages. */
export const visitSearch = (search: Record<string, unknown>): Visit => ({
  // Explicitly undefined: the router merges this over the raw search.
  from: localPath(search['from']),
})

/** Why someone is on the login page. */
const notices = ['ended', 'cancelled', 'reset'] as const
export type LoginNotice = (typeof notices)[number]

export const loginSearch = (search: Record<string, unknown>): Visit & { notice?: LoginNotice } => ({
  ...visitSearch(search),
  notice: notices.find((notice) => notice === search['notice']),
})

/** Redirects signed-in users away from sign-in pages, unless their session cannot be renewed. */
export async function leaveWhenSignedIn({ search }: { search: Visit }) {
  if (await isSessionCurrent()) throw redirect({ href: search.from ?? homePage(), replace: true })
}
