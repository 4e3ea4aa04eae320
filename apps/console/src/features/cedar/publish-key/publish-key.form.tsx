import type { NewPublishKey } from '@grove/contract/cedar/publish-key'
import { keyDays, maxKeyNameLength } from '@grove/contract/cedar/publish-key.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { queryClient } from '../../../api/query-client.ts'
import { api } from '../../../session/api.ts'
import { providersQuery } from '../../../session/providers.ts'
import { SecretDialog } from '../../../ui/dialog/secret-dialog.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { CreateItem, type NewItem } from '../../../ui/panel/create-item.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'
import { publishKeys } from './publish-key.api.ts'

/** The form for a new key, then the key itself, which is shown only once. */
export function CreatePublishKey(panel: NewItem) {
  const { t } = useLingui()
  const nameOf = useProviderName()
  const { data: providers = [] } = useQuery(providersQuery)
  const made = useRef<NewPublishKey>(undefined)
  const [shown, setShown] = useState<NewPublishKey>()
  const lifetimes: Record<string, string> = {
    ...Object.fromEntries(
      keyDays.map((days) => [days, plural(days, { one: '# day', other: '# days' })]),
    ),
    none: t`No expiry`,
  }

  if (shown)
    return (
      <SecretDialog
        title={t`Publish key “${shown.name}”`}
        text={t`Copy the key now and store it in the secrets of your build server, as GROVE_KEY. Grove does not show it again.`}
        secret={shown.key}
        onClose={() => panel.onCreated(shown.id)}
      />
    )
  return (
    <CreateItem
      {...panel}
      onCreated={() => setShown(made.current)}
      items={publishKeys}
      title={t`New key`}
      submitLabel={t`Create`}
      savedText={() => t`The key is created.`}
      fields={{
        name: {
          label: t`Name`,
          hint: t`Where it is used, such as “Build server”`,
          maxLength: maxKeyNameLength,
          problemOf: (text) => (text.trim() === '' ? t`Enter a name.` : undefined),
        },
      }}
      form={{
        values: { name: '', providerId: '', lifetime: String(keyDays[2]) },
        submit: async ({ name, providerId, lifetime }) => {
          const [own] = await queryClient.ensureQueryData(providersQuery)
          made.current = await api.cedar.post('/api/developer/publishKey', {
            body: {
              name,
              providerId: providerId || (own?.id ?? ''),
              expiresInDays: lifetime === 'none' ? null : Number(lifetime),
            },
          })
          return made.current
        },
      }}
    >
      {({ values, set }) => (
        <>
          {providers.length > 1 && (
            <SelectField
              label={t({ message: 'Provider', context: 'of apps' })}
              value={values.providerId || (providers[0]?.id ?? '')}
              words={Object.fromEntries(providers.map((each) => [each.id, nameOf(each)]))}
              onChange={(providerId) => set({ providerId })}
            />
          )}
          <SelectField
            label={t`Expires after`}
            value={values.lifetime}
            words={lifetimes}
            onChange={(lifetime) => set({ lifetime })}
          />
        </>
      )}
    </CreateItem>
  )
}
