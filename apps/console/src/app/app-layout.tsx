import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { mainId, RouteAnnouncer } from './route-announcer.tsx'
import { ToldNotice } from './told-notice.tsx'

/** What every page has around it, signed in or not. */
export const AppLayout = ({ children }: { children: ReactNode }) => (
  <>
    <a className="skip-link" href={`#${mainId}`}>
      <Trans>Skip to content</Trans>
    </a>
    {children}
    <ToldNotice />
    <RouteAnnouncer />
  </>
)
