import { useRouteContext } from '@tanstack/react-router'

/** The list of devices that the reader may open. */
export const useDevicesPage = () =>
  useRouteContext({ from: '/_app/dashboard' }).viewer.isAdmin
    ? '/dashboard/maple/devices'
    : '/dashboard/iot'
