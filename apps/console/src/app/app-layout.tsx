import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { mainId, RouteAnnouncer } from '../ui/page/route-announcer.tsx'
import { NotificationHost } from '../ui/toast/notification-host.tsx'

/** The frame of every page, signed in or not. */
export const AppLayout = ({ children }: { children: ReactNode }) => (
  <>
    <a className="skip-link" href={`#${mainId}`}>
      <Trans>Skip to content</Trans>
    </a>
    {children}
    <NotificationHost />
    <RouteAnnouncer />
  </>
)
