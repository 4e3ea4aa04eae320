import { Trans } from '@lingui/react/macro'
import { useEffect, useState, type ReactNode } from 'react'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { OfflineNotice } from './sign-in-notice.tsx'
import type { SignInForm } from './use-sign-in-form.ts'

interface SignInFieldsProps<V extends object> {
  form: SignInForm<V>
  /** The button's words, and those while it works. */
  action: ReactNode
  pending: ReactNode
  /** A problem of another way in. */
  problem?: unknown
  children: ReactNode
}

// Most answers come sooner: a button that flickers by would only be in the way.
const patience = 3000

/** The way out of a service that takes the request and does not answer. */
function CancelButton({ onCancel }: { onCancel: () => void }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), patience)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong) return null
  return (
    <button type="button" className="button wide" onClick={onCancel}>
      <Trans>Cancel</Trans>
    </button>
  )
}

/** The fields of a sign-in page above their problem and their button. */
export const SignInFields = <V extends object>(props: SignInFieldsProps<V>) => (
  <form {...props.form.props} className="form">
    <OfflineNotice isOffline={props.form.isOffline} />
    {props.children}
    <FormProblem problem={props.form.problem ?? props.problem} />
    <button type="submit" className="button primary wide" aria-disabled={props.form.isBlocked}>
      {props.form.status === 'saving' ? props.pending : props.action}
    </button>
    {props.form.status === 'saving' && <CancelButton onCancel={props.form.cancel} />}
  </form>
)
