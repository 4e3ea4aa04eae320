import type { ClaimCode } from '@grove/contract/maple/connect/device-connection'
import type { MapleProduct } from '@grove/contract/maple/connect/product'
import {
  claimNameLimit,
  maxClaims,
  type ClaimedState,
} from '@grove/contract/maple/connect/device-connection.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { checkFields, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { codePath } from './product.api.ts'

interface CodeValues {
  name: string
  count: string
  days: string
  state: ClaimedState
}

interface NewClaimCodeProps {
  product: MapleProduct
  onMade: (code: ClaimCode & { code: string }) => void
  onClose: () => void
}

const lifetimes = [1, 7, 30, 365]

/** How many devices a code is for, until when, and what happens to them. */
export function NewClaimCode({ product, onMade, onClose }: NewClaimCodeProps) {
  const { t } = useLingui()
  const fields = {
    name: useNameField(
      claimNameLimit,
      t`Such as its batch. The name is shown in the list, the code is not.`,
    ),
    count: {
      label: t`Devices`,
      hint: t`Maximum number of devices`,
      inputMode: 'numeric',
      problemOf: (text) =>
        /^\d{1,7}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= maxClaims
          ? undefined
          : t`Enter a number from 1 to ${maxClaims}.`,
    },
  } satisfies FormFields<CodeValues>
  const form = useForm<CodeValues, ClaimCode & { code: string }>({
    values: { name: '', count: '1', days: '1', state: 'quarantined' },
    check: (values) => checkFields(fields, values),
    submit: ({ name, count, days, state }) =>
      api.maple.post(codePath, {
        body: {
          name,
          type: 'iot',
          productId: product.id,
          mostUses: Number(count),
          hours: Number(days) * 24,
          state,
        },
      }),
    onSaved: onMade,
    isOnce: true,
  })
  return (
    <FormDialog title={t`New claim code`} form={form} submitLabel={t`Create`} onClose={onClose}>
      <Fields form={form} fields={fields} />
      <SelectField
        label={t`Valid for`}
        value={form.values.days}
        words={Object.fromEntries(
          lifetimes.map((days) => [days, plural(days, { one: '# day', other: '# days' })]),
        )}
        onChange={(days) => form.set({ days })}
      />
      <SelectField
        label={t`Devices that connect with it`}
        value={form.values.state}
        words={{
          quarantined: t`Wait until a person accepts them`,
          accepted: t`Accepted immediately`,
        }}
        onChange={(state) => form.set({ state })}
      />
    </FormDialog>
  )
}
