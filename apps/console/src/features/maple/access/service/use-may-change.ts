import { useRouteContext } from '@tanstack/react-router'
import { useMapleRights } from '../../../../session/maple-rights.ts'

/** Whether the reader may change service providers. */
export function useMayChange(): boolean {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const rights = useMapleRights(viewer.userId)
  return viewer.isAdmin || rights.includes('service.change')
}
