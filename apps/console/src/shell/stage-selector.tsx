import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { queryClient } from '../api/query-client.ts'
import { providerName } from '../session/provider-name.ts'
import { providersQuery } from '../session/providers.ts'
import { takeMissedStage } from '../session/stage-address.ts'
import { chooseProvider, useWorkingProvider } from '../session/working-provider.ts'
import { Combobox } from '../ui/kit/combobox.tsx'
import { notify } from '../ui/toast/notify.ts'

/**
 * Chooses the provider that the page works with, among those with an API key (spec §2). Those without
 * come last, and link to where a key is created.
 */
export function StageSelector({ userId }: { userId: string | null }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data = [] } = useQuery(providersQuery)
  const chosen = useWorkingProvider(userId)
  const organisations = data.filter(({ isDefault }) => !isDefault)
  const nameOf = (provider: (typeof data)[number]) => providerName(provider) ?? provider.id
  const withKey = organisations
    .filter(({ mobyApiKey }) => mobyApiKey)
    .map((provider) => ({ id: provider.id, label: nameOf(provider) }))
  const without = organisations
    .filter(({ mobyApiKey }) => !mobyApiKey)
    .map((provider) => ({ id: provider.id, label: t`${nameOf(provider)}: create an API key` }))
  const current = withKey.find(({ id }) => id === chosen?.id)
  const name = current?.label
  // The answer that lists the stages also shows that the one in the URL is not among them.
  useEffect(() => {
    if (!chosen || !takeMissedStage()) return
    notify({
      kind: 'failure',
      text:
        name === undefined
          ? t`The working stage in this URL does not exist, or you have no access to it.`
          : t`The working stage in this URL does not exist, or you have no access to it. You see your own: ${name}.`,
    })
  }, [chosen, name, t])
  const choose = (id: string | undefined) => {
    const provider = data.find((each) => each.id === id)
    if (provider && !provider.mobyApiKey) {
      void navigate({ to: '/dashboard/maple/keys' })
      return
    }
    chooseProvider(userId, provider)
    // What is shown belongs to the previous stage.
    void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] === 'maple' })
  }
  return (
    <Combobox
      label={t`Select a working stage`}
      placeholder={t`Select a working stage`}
      value={current ?? null}
      options={[...withKey, ...without]}
      onChange={(option) => choose(option?.id)}
    />
  )
}
