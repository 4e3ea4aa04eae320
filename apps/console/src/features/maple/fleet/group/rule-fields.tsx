import { deviceSeen } from '@grove/contract/maple/fleet/device.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { ServiceChoice } from '../../base/service-choice.tsx'
import { useDeviceWords } from '../device-words.ts'
import { useSeenWords } from '../seen-words.ts'
import { productQuery, searchProducts } from './group.api.ts'
import styles from './rule-fields.module.css'
import type { RuleValues } from './rule-values.ts'

/** The conditions of a rule, all of which a device must meet. */
export function RuleFields<Values extends RuleValues>({ form }: { form: Form<Values> }) {
  const { t } = useLingui()
  const { types, states } = useDeviceWords()
  const seen = useSeenWords()
  const { values, errors } = form
  const set = (change: Partial<RuleValues>) => form.set(change as Partial<Values>)
  const { productId } = values
  const { data } = useQuery({ ...productQuery(productId), enabled: productId !== '' })
  return (
    <>
      <Field
        label={t`Tags`}
        hint={t`Devices that have all of them, separated by commas.`}
        {...codeField}
        value={values.tag}
        error={errors['tag']}
        onChange={({ target }) => set({ tag: target.value })}
      />
      <Field
        label={t`Attributes`}
        hint={t`Such as site=North Hall,floor>=3`}
        {...codeField}
        value={values.attribute}
        error={errors['attribute']}
        onChange={({ target }) => set({ attribute: target.value })}
      />
      <div className="field">
        <span>{t`Product`}</span>
        <Combobox
          label={t`Product`}
          value={
            productId === '' ? null : { id: productId, label: data?.items[0]?.name ?? productId }
          }
          options={searchProducts}
          placeholder={t`any product`}
          isClearable
          onChange={(option) => set({ productId: option?.id ?? '' })}
        />
      </div>
      <Boxes
        label={t`Type`}
        options={types}
        chosen={values.types}
        onChange={(chosen) => set({ types: chosen })}
      />
      <Boxes
        label={t`State`}
        options={states}
        chosen={values.states}
        onChange={(chosen) => set({ states: chosen })}
      />
      <SelectField
        label={t`Last seen`}
        value={values.seen}
        words={{
          '': t`any time`,
          ...Object.fromEntries(deviceSeen.map((each) => [each, seen[each]])),
        }}
        onChange={(chosen) => set({ seen: chosen })}
      />
      <ServiceChoice
        label={t`Service provider`}
        value={values.serviceId}
        error={errors['serviceId']}
        onChange={(serviceId) => set({ serviceId })}
      />
    </>
  )
}

interface BoxesProps {
  label: string
  options: readonly { value: string; label: string }[]
  /** None means all. */
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

const Boxes = ({ label, options, chosen, onChange }: BoxesProps) => (
  <fieldset className={`choice ${styles.boxes}`}>
    <legend>{label}</legend>
    {options.map((option) => (
      <label key={option.value}>
        <input
          type="checkbox"
          checked={chosen.includes(option.value)}
          onChange={({ target }) =>
            onChange(
              options.flatMap(({ value }) =>
                (value === option.value ? target.checked : chosen.includes(value)) ? [value] : [],
              ),
            )
          }
        />
        {option.label}
      </label>
    ))}
  </fieldset>
)
