import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { isLoopback } from './loopback.ts'

/**
 * If the URL leads to this machine, says that a phone cannot open it, and which setting an operator
 * changes.
 */
export function LoopbackNotice({ url }: { url: string }) {
  if (!isLoopback(url)) return null
  return (
    <p className="muted">
      <Trans>
        A phone cannot open this URL: it leads to this machine only. Set <code>GROVE_HOST</code> and{' '}
        <code>GROVE_CONSOLE_URL</code> to reach Grove from other devices, and{' '}
        <code>GROVE_APP_LINK</code> to open your host app from the page.
      </Trans>{' '}
      <Link
        to="/docs/$guide"
        params={{ guide: 'publish' }}
        hash="when-a-phone-cannot-open-the-link"
      >
        <Trans>How to set them</Trans>
      </Link>
    </p>
  )
}
