import type { Device } from '@grove/contract/maple/fleet/device'
import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { deviceStates } from '@grove/contract/maple/fleet/device.rules'
import { refusalOf, type Refusal } from '../device-states.ts'
import { DeviceStateBadge } from '../device.labels.tsx'
import styles from './state-field.module.css'

interface StateFieldProps {
  /** The device's current state. */
  from: Device['state']
  isNew: boolean
  value: Device['state']
  onChange: (state: Device['state']) => void
  error: string | undefined
}

/** Every state: those the device can move to, and for the others why not. */
export function StateField({ from, isNew, value, onChange, error }: StateFieldProps) {
  const { t } = useLingui()
  const id = useId()
  const reasons: Record<Refusal, string> = {
    retiredIsFinal: t`A retired device stays retired.`,
    retireInstead: t`This is final: use “Retire” in the device’s panel.`,
    followsConnection: t`Determined by the device’s connection.`,
    isPast: t`The device cannot go back to this.`,
  }
  const offered = isNew ? deviceStates.filter((state) => !refusalOf(from, state)) : deviceStates
  return (
    <fieldset
      className="choice"
      aria-invalid={error ? true : undefined}
      aria-describedby={error ? `${id}-error` : undefined}
      tabIndex={error ? -1 : undefined}
    >
      <legend>{t`State`}</legend>
      {offered.map((state) => {
        const refusal = refusalOf(from, state)
        return (
          <label key={state} className={styles.state} data-refused={refusal !== undefined}>
            <input
              type="radio"
              name={id}
              value={state}
              checked={value === state}
              disabled={refusal !== undefined}
              onChange={() => onChange(state)}
            />
            <span>
              <DeviceStateBadge state={state} />
              {refusal && <small>{reasons[refusal]}</small>}
              {!isNew && state === from && <small>{t`Current state.`}</small>}
            </span>
          </label>
        )
      })}
      {error && (
        <div id={`${id}-error`} className="field-error">
          {error}
        </div>
      )}
    </fieldset>
  )
}
