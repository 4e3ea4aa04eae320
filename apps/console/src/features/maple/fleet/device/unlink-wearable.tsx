import { isDeviceId } from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Person } from '../../../../people/person.tsx'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { codeField, Fields } from '../../../../ui/form/fields.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { devices } from './device.api.ts'

/** The wearable with that inner ID, once the ID is long enough to look up. */
const useWearable = (innerId: string) =>
  useQuery({
    ...api.maple.query('/api/maple/device', { query: { innerId } }),
    enabled: innerId.length > 2 && isDeviceId(innerId),
    select: ({ items }) => items[0] ?? null,
  })

/** Looks up a wearable by its inner ID, shows whose it is, and unlinks it from the account. */
export function UnlinkWearable({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [innerId, setInnerId] = useState('')
  const { data: found } = useWearable(innerId)
  const form = useForm({
    values: { innerId: '' },
    check: (values) => ({
      innerId: !isDeviceId(values.innerId.trim())
        ? t`Enter the inner ID of a wearable.`
        : found === null
          ? t`No device has this inner ID.`
          : found?.accountId === null
            ? t`It is not linked to an account.`
            : undefined,
    }),
    submit: (values) =>
      api.cedar.post('/api/admin/wearable/unlink', { body: { innerId: values.innerId.trim() } }),
    onSaved: () => {
      notify({ text: t`The wearable is unlinked.` })
      void devices.refresh()
      onClose()
    },
    isOnce: true,
  })
  if (innerId !== form.values.innerId.trim()) setInnerId(form.values.innerId.trim())
  return (
    <FormDialog
      title={t`Unlink a wearable`}
      form={form}
      submitLabel={t`Unlink from the account`}
      onClose={onClose}
    >
      <Fields
        form={form}
        fields={{
          innerId: {
            label: t`Inner ID`,
            hint: t`The wearable’s own identifier.`,
            ...codeField,
          },
        }}
      />
      <div aria-live="polite">
        {found && (
          <PanelFacts
            facts={[
              [t`Device`, <bdi key="name">{found.name}</bdi>],
              [t`ID`, <CopyableId key="id" value={found.id} />],
              [
                t`Account`,
                found.accountId === null ? (
                  <Trans key="none">Not linked to an account</Trans>
                ) : (
                  <Person key="account" id={found.accountId} isCopyable isByEmail />
                ),
              ],
            ]}
          />
        )}
      </div>
    </FormDialog>
  )
}
