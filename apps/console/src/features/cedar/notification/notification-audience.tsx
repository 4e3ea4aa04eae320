import { devicePlatforms } from '@grove/contract/cedar/notification.rules'
import { locales } from '@grove/contract/locale.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { localeNames } from '../../../ui/i18n/locale.ts'
import { platformNames } from '../parts/platform-names.ts'
import type { PartProps } from './notification-values.ts'
import styles from './notification.module.css'

/** Which devices receive it. */
export function AudienceFields({ form }: PartProps) {
  const { t } = useLingui()
  const { values } = form
  const toggled = <T extends string>(chosen: readonly T[], value: T) =>
    chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]
  return (
    <fieldset className={styles.group}>
      <legend>{t`Audience`}</legend>
      <SelectField
        label={t`Devices`}
        value={values.who}
        words={{ all: t`All devices`, test: t`Test devices` }}
        onChange={(who) => form.set({ who })}
      />
      <Checks
        label={t`Platforms; none chosen means all`}
        options={devicePlatforms.map((value) => ({ value, label: platformNames[value] }))}
        chosen={values.platforms}
        onToggle={(value) => form.set((now) => ({ platforms: toggled(now.platforms, value) }))}
      />
      <Checks
        label={t`Languages; none chosen means all`}
        options={locales.map((value) => ({ value, label: localeNames[value] }))}
        chosen={values.locales}
        onToggle={(value) => form.set((now) => ({ locales: toggled(now.locales, value) }))}
      />
      <div className={styles.pair}>
        <Field label={t`From version`} placeholder="1.0" {...form.input('minAppVersion')} />
        <Field label={t`To version`} {...form.input('maxAppVersion')} />
      </div>
    </fieldset>
  )
}

interface ChecksProps<T extends string> {
  label: string
  options: readonly { value: T; label: string }[]
  chosen: readonly T[]
  onToggle: (value: T) => void
}

function Checks<T extends string>({ label, options, chosen, onToggle }: ChecksProps<T>) {
  return (
    <fieldset className={styles.group}>
      <legend className="field-hint">{label}</legend>
      <div className={styles.checks}>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={() => onToggle(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

interface EstimateProps {
  answer: { devices: number; isCapped: boolean; quota: { left: number; limit: number } } | undefined
}

/** How many devices that currently is, and what is left of today's limit. */
export function Estimate({ answer }: EstimateProps) {
  const { t, i18n } = useLingui()
  if (!answer) return null
  const devices = plural(answer.devices, { one: '# device', other: '# devices' })
  const [left, limit] = [i18n.number(answer.quota.left), i18n.number(answer.quota.limit)]
  return (
    <output className="field-hint">
      {answer.isCapped
        ? t`Currently reaches at least ${i18n.number(answer.devices)} devices.`
        : t`Currently reaches ${devices}.`}{' '}
      {t`${left} of ${limit} notifications are left today (UTC).`}
    </output>
  )
}
