import { Trans } from '@lingui/react/macro'
import { useEffect, useState, type ReactNode } from 'react'
import { FormProblem } from '../../ui/form/form-problem.tsx'
import { OfflineNotice } from './sign-in-notice.tsx'
import type { SignInForm } from './use-sign-in-form.ts'

interface SignInFieldsProps<V extends object> {
  form: SignInForm<V>
  /** The button's label, and its label while busy. */
  action: ReactNode
  pending: ReactNode
  /** A problem with another sign-in method. */
  problem?: unknown
  children: ReactNode
}

// Most answers arrive sooner: a button that flashes up would only distract.
const patience = 3000

/** Lets the reader cancel when the service accepts the request but does not respond. */
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

/** The fields of a sign-in page, with their problem and their button below. */
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
