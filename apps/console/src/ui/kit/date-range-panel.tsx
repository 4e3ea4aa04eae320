import { parseDate, type CalendarDate } from '@internationalized/date'
import { useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { DateField, DateInput, DateSegment, Label } from 'react-aria-components/DateField'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import {
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  CalendarHeading,
  RangeCalendar,
} from 'react-aria-components/RangeCalendar'
import styles from './date-range.module.css'
import { presetRange, type DayRange, type Preset } from './day-range.ts'

interface DateRangePanelProps {
  value: DayRange | null
  onChange: (range: DayRange | null) => void
  onClose: () => void
}

interface Draft {
  start: CalendarDate | null
  end: CalendarDate | null
}

/** Presets, two date fields and a calendar. A preset applies immediately, typed dates on "Apply". */
export function DateRangePanel({ value, onChange, onClose }: DateRangePanelProps) {
  const { t, i18n } = useLingui()
  const [draft, setDraft] = useState<Draft>({
    start: value && parseDate(value.from),
    end: value && parseDate(value.to),
  })
  const { start, end } = draft
  const isReversed = start !== null && end !== null && start.compare(end) > 0
  const range = start && end && !isReversed ? { start, end } : null
  const choose = (days: DayRange | null) => {
    onClose()
    onChange(days)
  }
  const presets: readonly { id: Preset; label: string }[] = [
    { id: 'today', label: t`Today` },
    { id: 'week', label: t`Last 7 days` },
    { id: 'month', label: t`Last 30 days` },
    { id: 'this-month', label: t`This month` },
    { id: 'last-month', label: t`Last month` },
  ]

  return (
    <I18nProvider locale={i18n.locale}>
      <form
        className={styles.panel}
        onSubmit={(event) => {
          event.preventDefault()
          // React also bubbles it to a form around the button.
          event.stopPropagation()
          if (range) choose({ from: range.start.toString(), to: range.end.toString() })
        }}
      >
        <ul className={styles.presets}>
          {presets.map(({ id, label }, index) => (
            <li key={id}>
              <button
                type="button"
                className="button quiet"
                data-autofocus={index === 0 || undefined}
                onClick={() => choose(presetRange(id, new Date()))}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
        <div className={styles.days}>
          <div className={styles.fields}>
            <DayField
              label={t`From`}
              value={start}
              onChange={(day) => setDraft({ ...draft, start: day })}
            />
            <DayField
              label={t`To`}
              value={end}
              isInvalid={isReversed}
              onChange={(day) => setDraft({ ...draft, end: day })}
            />
          </div>
          <p className={`field-error ${styles.problem}`} role="alert">
            {isReversed && t`The last day is before the first.`}
          </p>
          <RangeCalendar
            aria-label={t`Days`}
            className=""
            value={range}
            onChange={setDraft}
            key={start?.toString()}
            defaultFocusedValue={start ?? undefined}
          >
            <header className={styles.month}>
              <Button slot="previous" className="button quiet icon">
                <ChevronLeft size={16} aria-hidden />
              </Button>
              <CalendarHeading className={styles.heading ?? ''} />
              <Button slot="next" className="button quiet icon">
                <ChevronRight size={16} aria-hidden />
              </Button>
            </header>
            <CalendarGrid weekdayStyle="short" className={styles.grid ?? ''}>
              <CalendarGridHeader>
                {(day) => (
                  <CalendarHeaderCell className={styles.weekday ?? ''}>{day}</CalendarHeaderCell>
                )}
              </CalendarGridHeader>
              <CalendarGridBody>
                {(date) => <CalendarCell date={date} className={styles.day ?? ''} />}
              </CalendarGridBody>
            </CalendarGrid>
          </RangeCalendar>
          <div className={styles.actions}>
            {value && (
              <button type="button" className="button" onClick={() => choose(null)}>
                {t`Any time`}
              </button>
            )}
            <button type="submit" className="button primary" disabled={!range}>
              {t`Apply`}
            </button>
          </div>
        </div>
      </form>
    </I18nProvider>
  )
}

interface DayFieldProps {
  label: string
  value: CalendarDate | null
  isInvalid?: boolean
  onChange: (day: CalendarDate | null) => void
}

const DayField = ({ label, ...field }: DayFieldProps) => (
  <DateField {...field} shouldForceLeadingZeros className="field">
    <Label>{label}</Label>
    <DateInput className={`input ${styles.input}`}>
      {(segment) => <DateSegment segment={segment} className={styles.segment ?? ''} />}
    </DateInput>
  </DateField>
)
