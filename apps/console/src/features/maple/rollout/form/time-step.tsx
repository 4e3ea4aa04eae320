import { Trans, useLingui } from '@lingui/react/macro'
import { Field } from '../../../../ui/field/field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import styles from './form.module.css'
import type { RolloutValues } from './rollout-values.ts'

/** When devices may start, how fast, and how long the rollout waits for them. */
export function TimeStep({ form }: { form: Form<RolloutValues> }) {
  const { t } = useLingui()
  const { hasWindow } = form.values
  const number = { inputMode: 'numeric' } as const
  return (
    <>
      <Field
        type="datetime-local"
        label={t`Start at (optional)`}
        hint={t`If empty, it starts as soon as you press Start.`}
        {...form.input('startsAt')}
      />
      <label>
        <input
          type="checkbox"
          checked={hasWindow}
          onChange={({ target }) => form.set({ hasWindow: target.checked })}
        />{' '}
        <Trans>Only at certain hours of the day</Trans>
      </label>
      {hasWindow && (
        <>
          <div className={styles.row}>
            <Field type="time" label={t`From`} {...form.input('from')} />
            <Field type="time" label={t`To`} {...form.input('to')} />
          </div>
          <Field
            label={t`Time zone`}
            hint={t`Such as Europe/Paris. A device with the attribute “timezone” uses its own time zone.`}
            {...codeField}
            {...form.input('zone')}
          />
        </>
      )}
      <div className={styles.thresholds}>
        <Field label={t`Devices at once`} {...number} {...form.input('atOnce')} />
        <Field label={t`Devices a minute (optional)`} {...number} {...form.input('perMinute')} />
        <Field
          label={t`Time limit per device, in minutes`}
          {...number}
          {...form.input('runMinutes')}
        />
        <Field
          label={t`Hours to wait for offline devices`}
          {...number}
          {...form.input('startHours')}
        />
      </div>
    </>
  )
}
