import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { useMinute } from '../../../../ui/i18n/shared-clock.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { expiringQuery } from './account.api.ts'
import { validityOf } from './account-validity.ts'
import styles from './expiring-accounts.module.css'

/** The accounts that expire next, soonest first; nothing if none expires soon. */
export function ExpiringAccounts() {
  const { t } = useLingui()
  const { data } = useQuery(expiringQuery())
  const now = useMinute()
  // A third-party service may not support the filter.
  const expiring = data?.items.filter(({ expiresAt }) => validityOf(expiresAt, now) === 'expiring')
  if (!expiring || expiring.length === 0) return null
  return (
    <Section
      title={t`Accounts that expire soon`}
      action={
        <Link
          to="/dashboard/maple/accounts"
          search={{ validity: ['expiring'], sort: 'expiresAt', order: 'asc' }}
        >{t`All accounts that expire soon`}</Link>
      }
    >
      <ul className={styles.accounts}>
        {expiring.map(({ id, roles, serviceId, expiresAt }) => (
          <li key={id}>
            <Link to="/dashboard/maple/accounts" search={{ account: id }}>
              <code>{id}</code>
            </Link>
            <span className="muted">
              <bdi>{[...roles, ...(serviceId === null ? [] : [serviceId])].join(', ')}</bdi>
            </span>
            <DateText value={expiresAt} isRelative />
          </li>
        ))}
      </ul>
    </Section>
  )
}
