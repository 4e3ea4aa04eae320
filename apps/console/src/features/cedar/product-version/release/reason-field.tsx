import { maxReasonLength } from '@grove/contract/cedar/product-version.rules'
import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'

/** Why a version is rolled back; the release history shows it. */
export function ReasonField({ onChange }: { onChange: (reason: string) => void }) {
  const { t } = useLingui()
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{t`Reason (optional)`}</label>
      <textarea
        id={id}
        className="input"
        rows={2}
        maxLength={maxReasonLength}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      <p id={`${id}-hint`} className="field-hint">
        {t`The release history shows it to everyone who works on the app.`}
      </p>
    </div>
  )
}
