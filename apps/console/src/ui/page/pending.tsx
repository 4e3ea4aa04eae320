import { useLingui } from '@lingui/react/macro'

/** A placeholder for a page whose code or data is loading. */
export function Pending() {
  const { t } = useLingui()
  return (
    <output className="page-skeleton" aria-label={t`Loading`}>
      <span className="skeleton" />
      <span className="skeleton" />
      <span className="skeleton" />
    </output>
  )
}
