import { Trans } from '@lingui/react/macro'
import { useState } from 'react'
import { dropLink, pendingLink } from '../../session/pending-link.ts'
import { Notice } from './sign-in-notice.tsx'

/** What to do about an identity whose email already belongs to an account. */
export function LinkNotice() {
  const [link, setLink] = useState(pendingLink)
  if (!link) return null
  const { email, broker } = link
  const forget = () => {
    dropLink()
    setLink(undefined)
  }
  return (
    <Notice>
      <Trans>
        An account with {email} already exists. Sign in to it once, and {broker} will be linked to
        it.
      </Trans>{' '}
      <button type="button" className="link" onClick={forget}>
        <Trans>Do not link</Trans>
      </button>
    </Notice>
  )
}
