import { useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../../../api/problem.ts'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { maxDeviceIdLength } from '@grove/contract/maple/fleet/device.rules'
import { useDeviceWords } from '../device-words.ts'
import type { DeviceValues } from './form/device-values.ts'
import { ElementsField } from './form/elements-field.tsx'
import { LabelFields } from './form/label-fields.tsx'
import { StateField } from './form/state-field.tsx'

interface DeviceFieldsProps {
  form: Form<DeviceValues>
  isNew: boolean
}

/** The fields of a device, whether new or existing. */
export function DeviceFields({ form, isNew }: DeviceFieldsProps) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const { values, errors, error } = form
  return (
    <>
      <Field
        label={t`Name`}
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button that opened the form is gone
        autoFocus
        {...form.input('name')}
      />
      {isNew && (
        <Field
          label={t`ID (optional)`}
          maxLength={maxDeviceIdLength}
          {...codeField}
          hint={t`Letters, digits and . _ : - only. If empty, an ID is generated. It cannot be changed later.`}
          {...form.input('id')}
        />
      )}
      <SelectField
        label={t`Type`}
        value={values.type}
        words={words.type}
        onChange={(type) => form.set({ type })}
      />
      <StateField
        from={form.base.state}
        isNew={isNew}
        value={values.state}
        onChange={(state) => form.set({ state })}
        error={errors['state']}
      />
      <LabelFields form={form} />
      <ElementsField
        rows={values.elements}
        onChange={(update) => form.set((now) => ({ elements: update(now.elements) }))}
        errorOf={(index) => errors[`elements.${index}.text`]}
        isTaken={error instanceof ApiProblem && error.code === 'element_attached_elsewhere'}
      />
    </>
  )
}
