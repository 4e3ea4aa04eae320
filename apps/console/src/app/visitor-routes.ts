import { createRoute } from '@tanstack/react-router'
import type { routeTree } from '../routeTree.gen.ts'
import { Route as root } from '../routes/__root.tsx'
import { Route as frame } from '../routes/_app.tsx'
import { Route as start } from '../routes/_app/index.tsx'
import { Route as callback } from '../routes/_app/login/callback.tsx'
import { Route as email } from '../routes/_app/login/email.tsx'
import { Route as forgotten } from '../routes/_app/login/forgotten.tsx'
import { Route as login } from '../routes/_app/login/index.tsx'
import { Route as reset } from '../routes/_app/login/reset.tsx'
import { Route as signUp } from '../routes/_app/signup.tsx'

/** By the ids that the generated tree gives them. */
const pages = {
  '/': start,
  '/signup': signUp,
  '/login/': login,
  '/login/callback': callback,
  '/login/email': email,
  '/login/forgotten': forgotten,
  '/login/reset': reset,
}

/** Every address that is none of these pages. */
export const elsewhere = createRoute({
  getParentRoute: () => frame,
  path: '$',
  // The page that it turns out to be reads them.
  validateSearch: (search: Record<string, unknown>) => search,
})

const getParentRoute = () => frame
for (const [id, page] of Object.entries(pages))
  page.update({ id, path: id, getParentRoute } as never)
frame.update({ id: '/_app', getParentRoute: () => root } as never)
frame._addFileChildren([...Object.values(pages), elsewhere] as never)

/**
 * The routes that a visitor needs. Those of the dashboard grow with every resource, so they load
 * apart: the generated tree, which has them all, takes the place of this one (router.ts).
 */
export const visitorRoutes = root._addFileChildren([frame] as never) as unknown as typeof routeTree
