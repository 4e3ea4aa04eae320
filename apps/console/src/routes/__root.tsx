import { createRootRouteWithContext, Outlet } from '@tanstack/react-router'
import { AppLayout } from '../app/app-layout.tsx'
import { Failure } from '../ui/failure/failure.tsx'
import { NotFound } from '../ui/failure/not-found.tsx'
import type { RouterContext } from '../ui/link/link.tsx'
import { VisitorPage } from '../ui/page/visitor-page.tsx'

export const Route = createRootRouteWithContext<RouterContext>()({
  codeSplitGroupings: [],
  component: Outlet,
  errorComponent: ({ error }) => (
    <VisitorPage>
      <Failure error={error} />
    </VisitorPage>
  ),
  notFoundComponent: () => (
    <AppLayout>
      <VisitorPage>
        <NotFound />
      </VisitorPage>
    </AppLayout>
  ),
})
