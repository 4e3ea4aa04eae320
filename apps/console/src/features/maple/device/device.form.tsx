import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useId, type ReactNode } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { Field } from '../../../ui/field/field.tsx'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { deviceTypes, longestDeviceId } from '@grove/contract/maple/device.rules'
import { useDeviceWords } from './device.labels.tsx'
import type { DeviceValues } from './form/device-values.ts'
import { ElementsField } from './form/elements-field.tsx'
import { StateField } from './form/state-field.tsx'

interface DeviceFormProps {
  form: Form<DeviceValues>
  isNew: boolean
  onCancel: () => void
  submitLabel: string
  draft: string
  isKeptBy: (search: Record<string, unknown>) => boolean
  children?: ReactNode
}

/** The fields of a device, new or not, in the panel. */
export function DeviceForm({ form, isNew, children, ...shell }: DeviceFormProps) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const typeId = useId()
  const { values, errors, error } = form
  return (
    <FormShell form={form} place="panel" {...shell}>
      <Field
        label={t`Name`}
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that opened the form is gone
        autoFocus
        {...form.input('name')}
      />
      {isNew && (
        <Field
          label={t`Id (optional)`}
          maxLength={longestDeviceId}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={t`Letters, digits and . _ : - only. Left empty, one is generated. It cannot be changed later.`}
          {...form.input('id')}
        />
      )}
      <div className="field">
        <label htmlFor={typeId}>{t`Type`}</label>
        <select
          id={typeId}
          className="select"
          value={values.type}
          onChange={(event) => form.set({ type: event.target.value as Device['type'] })}
        >
          {deviceTypes.map((type) => (
            <option key={type} value={type}>
              {words.type[type]}
            </option>
          ))}
        </select>
      </div>
      <StateField
        from={form.base.state}
        isNew={isNew}
        value={values.state}
        onChange={(state) => form.set({ state })}
        error={errors['state']}
      />
      <ElementsField
        rows={values.elements}
        onChange={(update) => form.set((now) => ({ elements: update(now.elements) }))}
        errorOf={(index) => errors[`elements.${index}.text`]}
        isTaken={error instanceof ApiProblem && error.code === 'element_attached_elsewhere'}
      />
      {children}
    </FormShell>
  )
}
