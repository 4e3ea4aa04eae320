import { useLingui } from '@lingui/react/macro'
import { usePeople } from '../../../../../people/use-people.ts'
import { Field } from '../../../../../ui/field/field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { Form } from '../../../../../ui/form/use-form.ts'
import { Choice } from '../../../base/choice.tsx'
import { ServiceChoice } from '../../../base/service-choice.tsx'
import { searchAccounts } from '../device-choices.ts'
import { AttributesField } from './attributes-field.tsx'
import type { DeviceValues } from './device-values.ts'

/** A device's tags, attributes, groups and service provider, and the account it is bound to. */
export function LabelFields({ form }: { form: Form<DeviceValues> }) {
  const { t } = useLingui()
  const { values, errors } = form
  const { emailOf } = usePeople([values.accountId], { isWithViewer: true })
  return (
    <>
      <Field
        label={t`Tags`}
        hint={t`Separated by commas.`}
        {...codeField}
        {...form.input('tags')}
      />
      <ServiceChoice
        label={t`Service provider`}
        value={values.serviceId}
        error={errors['serviceId']}
        onChange={(serviceId) => form.set({ serviceId })}
      />
      <AttributesField
        rows={values.attributes}
        onChange={(update) => form.set((now) => ({ attributes: update(now.attributes) }))}
        errorOf={(index, part) => errors[`attributes.${index}.${part}`]}
      />
      <Field
        label={t`Inner ID`}
        hint={t`The wearable’s own identifier, to which an account is bound.`}
        {...codeField}
        {...form.input('innerId')}
      />
      <Choice
        label={t`Account`}
        value={values.accountId}
        name={emailOf(values.accountId)}
        options={searchAccounts}
        error={errors['accountId']}
        onChange={(accountId) => form.set({ accountId })}
      />
    </>
  )
}
