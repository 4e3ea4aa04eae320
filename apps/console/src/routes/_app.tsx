import { createFileRoute, Outlet } from '@tanstack/react-router'
import { AppLayout } from '../app/app-layout.tsx'

/** The application shell around every page (spec §2). */
export const Route = createFileRoute('/_app')({
  codeSplitGroupings: [],
  component: () => (
    <AppLayout>
      <Outlet />
    </AppLayout>
  ),
})
