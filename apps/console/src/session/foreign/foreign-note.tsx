import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

interface ForeignNoteProps {
  /** For the operator of the service. */
  details: string
  /** There is nothing to do on this page. */
  hasWayBack: boolean
}

/** What to do about a response that the console cannot use, and what its operator needs to know. */
export function ForeignNote({ details, hasWayBack }: ForeignNoteProps) {
  const { t } = useLingui()
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  const copy = () =>
    navigator.clipboard.writeText(details).then(
      () => setState('copied'),
      () => setState('refused'),
    )
  return (
    <>
      {' '}
      <button type="button" className="button" onClick={() => void copy()}>
        {state === 'copied' ? t`Copied` : t`Copy details`}
      </button>
      {hasWayBack && (
        <>
          {' '}
          <Link to="/dashboard" className="button">
            <Trans>Go to the dashboard</Trans>
          </Link>
        </>
      )}
      {state === 'refused' && <pre>{details}</pre>}
    </>
  )
}
