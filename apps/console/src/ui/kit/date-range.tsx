import { useLingui } from '@lingui/react/macro'
import { CalendarDays, X } from 'lucide-react'
import { withTexts } from '../i18n/locale.ts'
import styles from './date-range.module.css'
import { rangeText, type DayRange } from './day-range.ts'
import { loadable } from './loadable.ts'
import { PopoverButton, type ButtonProps } from './popover-button.tsx'

interface DateRangeProps {
  /** What the dates are about: "Created". */
  label: string
  value: DayRange | null
  onChange: (range: DayRange | null) => void
  button?: ButtonProps
}

const panel = loadable(
  withTexts(() => import('./date-range-panel.tsx').then(({ DateRangePanel }) => DateRangePanel)),
)

/** Chooses a date range, in the reader's language and time zone. */
export function DateRange({ label, value, onChange, button }: DateRangeProps) {
  const { t, i18n } = useLingui()
  return (
    <span className={styles.field}>
      <PopoverButton
        source={panel}
        popup="dialog"
        panelLabel={label}
        button={{ className: `button ${styles.trigger}`, ...button }}
        panelProps={{ value, onChange }}
      >
        <CalendarDays size={16} aria-hidden />
        <span>
          {label}: <strong>{value ? rangeText(value, i18n.locale) : t`any time`}</strong>
        </span>
      </PopoverButton>
      {value && (
        <button
          type="button"
          className="button quiet icon"
          aria-label={t`Clear ${label}`}
          onClick={() => onChange(null)}
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
