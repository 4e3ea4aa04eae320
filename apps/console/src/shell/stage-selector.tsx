import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { providersQuery } from '../session/providers.ts'
import { chooseProvider, useWorkingProvider } from '../session/working-provider.ts'
import { currentLocale } from '../ui/i18n/locale.ts'
import { Combobox } from '../ui/kit/combobox.tsx'

/** Chooses the provider that the page works with, among those with an API key (spec §2). */
export function StageSelector({ userId }: { userId: string | null }) {
  const { t } = useLingui()
  const { data = [] } = useQuery(providersQuery)
  const chosen = useWorkingProvider(userId)
  const locale = currentLocale()
  const options = data
    .filter(({ mobyApiKey }) => mobyApiKey)
    .map(({ id, translations }) => ({
      id,
      label:
        (translations.find(({ localeCode }) => localeCode === locale) ?? translations[0])?.name ??
        id,
    }))
  return (
    <Combobox
      label={t`Select a working stage`}
      placeholder={t`Select a working stage`}
      value={options.find(({ id }) => id === chosen?.id) ?? null}
      options={options}
      onChange={(option) =>
        chooseProvider(
          userId,
          data.find(({ id }) => id === option?.id),
        )
      }
    />
  )
}
