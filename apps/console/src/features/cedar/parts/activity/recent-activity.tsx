import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { isCallLacking } from '../../../../api/problem.ts'
import { api } from '../../../../session/api.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { ActivityRows } from './activity-rows.tsx'

const limit = 6

/** The latest events of the reader's apps and providers; for an administrator, of everyone's. */
export function RecentActivity() {
  const { t } = useLingui()
  const loading = useQuery(api.cedar.query('/api/developer/activity', { query: { limit } }))
  const { data, error } = loading
  if (isCallLacking(error)) return null
  return (
    <Section
      title={t`Recent activity`}
      loading={loading}
      action={
        <Link to="/dashboard/cedar/activity" className="button small quiet" prefetch="none">
          {t`All activity`}
        </Link>
      }
    >
      {!data ? (
        <Pending />
      ) : data.items.length === 0 ? (
        <p className="muted">{t`Nothing has happened yet.`}</p>
      ) : (
        <ActivityRows events={data.items} isBrief />
      )}
    </Section>
  )
}
