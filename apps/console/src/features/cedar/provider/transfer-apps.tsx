import type { AdminProvider } from '@grove/contract/cedar/provider-admin'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import { PersonField } from '../../../people/person-field.tsx'
import { usePeople } from '../../../people/use-people.ts'
import { api } from '../../../session/api.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { notify } from '../../../ui/toast/notify.ts'
import './unknown-user.ts'
import { useProviderName } from '../parts/use-provider-name.ts'
import { refreshTransfers } from './provider-transfers.tsx'

interface TransferAppsProps {
  provider: AdminProvider
  onClose: () => void
}

/** Moves the apps of a developer's personal provider to this one, after stating how many they are. */
export function TransferApps({ provider, onClose }: TransferAppsProps) {
  const { t } = useLingui()
  const name = useProviderName()(provider)
  const [user, setUser] = useState('')
  const who = usePeople(user === '' ? [] : [user], { isWithViewer: true }).emailOf(user) ?? user
  const form = useForm({
    values: { user: '' },
    check: (values) => ({ user: values.user.trim() === '' ? t`Choose a person.` : undefined }),
    submit: async (values) => {
      const userId = values.user.trim()
      const { items } = await queryClient.fetchQuery({
        ...api.cedar.query('/api/admin/provider', { query: { ownerId: userId, kind: 'personal' } }),
        staleTime: 0,
      })
      const count = items[0]?.productCount ?? 0
      const apps = plural(count, { one: '# app', other: '# apps' })
      const isAgreed =
        count === 0 ||
        (await confirm({
          title: t`Transfer ${apps} to ${name}?`,
          text: t`They move with their versions, links and files. ${who} keeps access only as a member of ${name}.`,
          action: t`Transfer`,
        }))
      if (!isAgreed) return undefined
      const { productIds } = await api.cedar.post('/api/cedar/apps/transfer', {
        body: { user_id: userId, provider_id: provider.id },
      })
      return productIds.length
    },
    onSaved: (count) => {
      if (count === undefined) return
      notify({
        text:
          count === 0
            ? t`The user has no apps of their own.`
            : t`${plural(count, { one: '# app is transferred.', other: '# apps are transferred.' })}`,
      })
      void refreshTransfers()
      onClose()
    },
  })
  return (
    <FormDialog
      title={t`Transfer apps to ${name}`}
      form={form}
      submitLabel={t`Transfer…`}
      onClose={onClose}
    >
      <p className="muted">
        <Trans>Every app of a developer’s personal provider moves to this one.</Trans>
      </p>
      <PersonField
        label={t`Developer`}
        value={form.values.user}
        error={form.errors['user'] ?? form.errors['user_id']}
        onChange={(chosen) => {
          setUser(chosen)
          form.set({ user: chosen })
        }}
      />
    </FormDialog>
  )
}
