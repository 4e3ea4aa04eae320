import type { TokenDetailsResult } from '@grove/auth-client/react'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../session/api.ts'
import { problemText } from '../../../api/problem-text.ts'
import { StateBadge } from '../../../ui/text/state-badge.tsx'

interface ServiceCheckProps {
  details: TokenDetailsResult
  /** When the token was issued: each token is checked once. */
  at: number
}

/** Whether the platform reads the same in this token, in one word. */
export function ServiceCheck({ details, at }: ServiceCheckProps) {
  const { i18n, t } = useLingui()
  const { data, error } = useQuery({
    queryKey: ['auth', 'user-info', at],
    queryFn: ({ signal }) => api.cedar.get('/api/user/info', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <p className="muted">{problemText(error, i18n)}</p>
  if (!data || details.isPending) return <span className="skeleton" />
  const { is_admin, is_developer, is_valid, user_id, provider, roles } = details
  const isSame =
    data.is_valid === is_valid &&
    data.is_admin === is_admin &&
    data.is_developer === is_developer &&
    data.user_id === user_id &&
    data.provider === provider &&
    data.roles.toSorted().join() === roles.toSorted().join()
  return isSame ? (
    <StateBadge kind="good" text={t`Same result`} />
  ) : (
    <>
      <StateBadge kind="warning" text={t`Result differs`} />
      <p className="muted">
        <Trans>
          User ID {data.user_id}, provider {data.provider}, roles {data.roles.join(', ')}
        </Trans>
      </p>
    </>
  )
}
