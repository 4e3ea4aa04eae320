import { useLingui } from '@lingui/react/macro'

/** Holds the place of a page whose code or data is on its way. */
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
