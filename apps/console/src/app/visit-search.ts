import { redirect } from '@tanstack/react-router'
import { localPath } from './local-path.ts'
import { isSignedIn } from './session.ts'

/** Search parameters of the sign-in pages: the visit to return to. */
export function visitSearch(search: Record<string, unknown>): { from?: string } {
  // Undefined must be said: the router lays this over the raw search.
  return { from: localPath(search['from']) }
}

/** Who is signed in has nothing to do on a sign-in page. */
export function leaveWhenSignedIn({ search }: { search: { from?: string } }) {
  if (isSignedIn()) throw redirect({ href: search.from ?? '/dashboard', replace: true })
}
