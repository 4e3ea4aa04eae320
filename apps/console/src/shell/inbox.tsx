import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Inbox as InboxIcon } from 'lucide-react'
import { api } from '../session/api.ts'
import { iconName } from '../ui/kit/tooltip.ts'
import { Link } from '../ui/link/link.tsx'
import styles from './inbox.module.css'

const limit = 20

/** Leads to the requests of other people, and counts those that wait for this viewer. */
export function Inbox() {
  const { t } = useLingui()
  const { data } = useQuery({
    ...api.maple.query('/api/maple/approvals', { query: { state: 'pending', limit } }),
    refetchInterval: 60_000,
  })
  const waiting = data?.items.filter(({ rights }) => rights.decide === null).length ?? 0
  const count = data?.next ? `${limit}+` : String(waiting)
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
