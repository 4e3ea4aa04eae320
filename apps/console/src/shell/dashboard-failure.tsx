import type { ErrorComponentProps } from '@tanstack/react-router'
import { Failure } from '../ui/failure/failure.tsx'
import { onDemand } from '../ui/kit/on-demand.tsx'
import { whenIdle } from '../ui/page/when-idle.ts'
import { DashboardRefused, SessionUnverified } from '../session/session.ts'
import { VisitorPage } from '../ui/page/visitor-page.tsx'

const UnverifiedSession = onDemand(
  () => import('../session/foreign/unverified-session.tsx').then((file) => file.UnverifiedSession),
  'foreign',
)
const NoDashboardRole = onDemand(
  () => import('../session/foreign/no-dashboard-role.tsx').then((file) => file.NoDashboardRole),
  'foreign',
)
// The service may be gone by the time it is needed.
whenIdle(UnverifiedSession.prefetch)

/** Why the dashboard stays closed, and what to do in each case. */
export function DashboardFailure({ error }: Pick<ErrorComponentProps, 'error'>) {
  return (
    <VisitorPage>
      {error instanceof DashboardRefused ? (
        <NoDashboardRole />
      ) : error instanceof SessionUnverified ? (
        <UnverifiedSession />
      ) : (
        <Failure error={error} />
      )}
    </VisitorPage>
  )
}
