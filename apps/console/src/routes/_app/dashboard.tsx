import { createFileRoute } from '@tanstack/react-router'
import { DashboardFailure } from '../../app/dashboard-failure.tsx'
import { addMessages } from '../../app/locale.ts'
import { NotFound } from '../../app/not-found.tsx'
import { requireDashboard } from '../../app/session.ts'
import { placeOf } from '../../navigation.ts'
import { Shell } from '../../shell/shell.tsx'

export const Route = createFileRoute('/_app/dashboard')({
  // Refusals must show even when the shell's chunk cannot be had.
  codeSplitGroupings: [['component']],
  beforeLoad: async ({ location }) => {
    const service = placeOf(location.pathname).group?.service
    const [viewer] = await Promise.all([
      requireDashboard(location.href),
      service ? addMessages('dashboard', service) : addMessages('dashboard'),
    ])
    return { viewer }
  },
  errorComponent: DashboardFailure,
  notFoundComponent: NotFound,
  component: Shell,
})
