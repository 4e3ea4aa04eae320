import type { PublishKey } from '@grove/contract/cedar/publish-key'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { providersQuery } from '../../../session/providers.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../ui/i18n/shared-clock.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'
import { useProviderName } from '../parts/use-provider-name.ts'

export function KeyEnd({ expiresAt }: Pick<PublishKey, 'expiresAt'>) {
  const { t } = useLingui()
  const now = useMinute()
  if (expiresAt === null) return t`Never`
  return Date.parse(expiresAt) <= now ? (
    <StateBadge kind="ended" text={t({ message: 'Expired', context: 'of a key' })} />
  ) : (
    <DateText value={expiresAt} />
  )
}

export function LastUse({ lastUsedAt }: Pick<PublishKey, 'lastUsedAt'>) {
  const { t } = useLingui()
  return lastUsedAt === null ? t`Not yet` : <DateText value={lastUsedAt} />
}

/** An administrator may see a key of a provider that is not theirs. */
export function KeyProvider({ providerId }: Pick<PublishKey, 'providerId'>) {
  const nameOf = useProviderName()
  const { data = [] } = useQuery(providersQuery)
  const provider = data.find(({ id }) => id === providerId)
  return provider ? nameOf(provider) : <code>{providerId}</code>
}
