import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { imports } from './device-import.api.ts'
import { ImportStateBadge } from './device-import.labels.tsx'
import { importList } from './device-import.search.ts'
import styles from './recent-imports.module.css'

const most = 5

/** The newest imports, each with its state; nothing if there are none. */
export function RecentImports() {
  const { t } = useLingui()
  const { data } = useQuery(imports.query({ ...importList.page({}), limit: most }))
  if (!data || data.items.length === 0) return null
  return (
    <Section
      title={t`Device imports`}
      action={<Link to="/dashboard/maple/imports">{t`All imports`}</Link>}
    >
      <ul className={styles.imports}>
        {data.items.map(({ id, fileName, state, createdAt }) => (
          <li key={id}>
            <Link to="/dashboard/maple/imports" search={{ import: id }}>
              <bdi>{fileName}</bdi>
            </Link>
            <ImportStateBadge state={state} />
            <span className="muted">
              <DateText value={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
