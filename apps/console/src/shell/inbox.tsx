import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { Inbox as InboxIcon } from 'lucide-react'
import { api } from '../session/api.ts'
import { iconName } from '../ui/kit/tooltip.ts'
import { Link } from '../ui/link/link.tsx'
import styles from './inbox.module.css'

const limit = 20

/** Links to other people's requests, and counts those that await this viewer. */
export function Inbox() {
  const { t } = useLingui()
  const { data } = useQuery({
    ...api.maple.query('/api/maple/approvals', { query: { state: 'pending', limit } }),
    refetchInterval: 60_000,
  })
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { data: providers } = useQuery({
    ...api.cedar.query('/api/provider/request', { query: { state: 'open', limit } }),
    refetchInterval: 60_000,
    enabled: viewer.isAdmin,
  })
  const waiting = [data, providers]
    .flatMap((page): { rights: { decide: string | null } }[] => page?.items ?? [])
    .filter(({ rights }) => rights.decide === null).length
  const count = data?.next || providers?.next ? `${limit}+` : String(waiting)
  return (
    <Link
      to="/dashboard/maple/approvals"
      className={`button quiet icon ${styles.inbox}`}
      prefetch="none"
      {...iconName(
        waiting === 0
          ? t`Approvals`
          : t`Approvals: ${plural(waiting, { one: '# request waits for you', other: '# requests wait for you' })}`,
      )}
    >
      <InboxIcon size={16} aria-hidden />
      {waiting > 0 && <span className={styles.count}>{count}</span>}
    </Link>
  )
}
