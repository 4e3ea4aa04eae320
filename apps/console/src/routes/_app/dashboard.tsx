import { createFileRoute } from '@tanstack/react-router'
import { DashboardFailure } from '../../app/dashboard-failure.tsx'
import { addDashboardMessages } from '../../app/locale.ts'
import { requireDashboard } from '../../app/session.ts'
import { Shell } from '../../shell/shell.tsx'

export const Route = createFileRoute('/_app/dashboard')({
  // Refusals must show even when the shell's chunk cannot be had.
  codeSplitGroupings: [['component']],
  beforeLoad: async ({ location }) => {
    const [viewer] = await Promise.all([requireDashboard(location.href), addDashboardMessages()])
    return { viewer }
  },
  errorComponent: DashboardFailure,
  component: Shell,
})
