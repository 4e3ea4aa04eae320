import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Info, WifiOff } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LoginNotice } from './visit-search.ts'

export const Notice = ({
  icon = <Info size={16} aria-hidden />,
  children,
}: {
  icon?: ReactNode
  children: ReactNode
}) => (
  <span className="form-notice">
    {icon}
    <span>{children}</span>
  </span>
)

const texts: Record<LoginNotice, MessageDescriptor> = {
  ended: msg`Your session has ended. Sign in again to continue where you left off.`,
  cancelled: msg`You cancelled the sign-in. Nothing has changed.`,
  reset: msg`Your password is changed and all sessions have ended. Sign in again.`,
}

/** Why someone is on the login page. */
export function LoginNoticeText({ notice }: { notice: LoginNotice }) {
  const { i18n } = useLingui()
  return <Notice>{i18n._(texts[notice])}</Notice>
}

/** Always rendered, so that a screen reader announces when the connection is lost. */
export const OfflineNotice = ({ isOffline }: { isOffline: boolean }) => (
  <output>
    {isOffline && (
      <Notice icon={<WifiOff size={16} aria-hidden />}>
        <Trans>You are offline. What you typed stays here until the connection is back.</Trans>
      </Notice>
    )}
  </output>
)
