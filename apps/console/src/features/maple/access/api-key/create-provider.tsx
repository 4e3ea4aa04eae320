import type { Provider } from '@grove/contract/cedar/provider'
import { maxProviderNameLength } from '@grove/contract/cedar/provider.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { providersQuery } from '../../../../session/providers.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { checkFields, Fields } from '../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { providerRightsQuery } from './api-key.api.ts'

interface CreateProviderProps {
  onCreated: (provider: Provider) => void
  onClose: () => void
}

/** Creates a provider that the reader owns; its first key comes next. */
export function CreateProvider({ onCreated, onClose }: CreateProviderProps) {
  const { t } = useLingui()
  const name = useNameField(maxProviderNameLength, t`Such as the name of your organisation`)
  const form = useForm({
    values: { name: '' },
    check: (values) => checkFields({ name }, values),
    submit: (body) => api.cedar.post('/api/provider', { body }),
    onSaved: async (provider) => {
      void queryClient.invalidateQueries(providerRightsQuery())
      await queryClient.refetchQueries({ queryKey: providersQuery.queryKey })
      onCreated(provider)
    },
    isOnce: true,
  })
  return (
    <FormDialog title={t`New provider`} form={form} submitLabel={t`Create`} onClose={onClose}>
      <p className="muted">
        <Trans>
          It owns devices, cards and applets, and apps can be published under its name. You are its
          owner.
        </Trans>
      </p>
      <Fields form={form} fields={{ name }} />
    </FormDialog>
  )
}
