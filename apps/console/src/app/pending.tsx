import { useLingui } from '@lingui/react/macro'

/** Holds the place of a page whose code or data is on its way. */
export function Pending() {
  const { t } = useLingui()
  return (
    <div className="page-skeleton" role="status" aria-label={t`Loading`}>
      <div className="skeleton" />
      <div className="skeleton" />
      <div className="skeleton" />
    </div>
  )
}
