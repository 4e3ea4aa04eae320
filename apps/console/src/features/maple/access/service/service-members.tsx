import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Person } from '../../../../people/person.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { impactQuery, membersQuery, maxMembers } from './service.api.ts'
import styles from './service.module.css'

/** How many devices and accounts a service provider has, and its accounts with their roles. */
export function ServiceMembers({ id }: { id: string }) {
  const { i18n, t } = useLingui()
  const heading = useId()
  const { data: impact } = useQuery(impactQuery(id))
  const { data: members } = useQuery(membersQuery(id))
  const countOf = (count: { value: number; isCapped: boolean } | undefined) =>
    count ? `${i18n.number(count.value)}${count.isCapped ? '+' : ''}` : '…'
  const items = members?.items ?? []
  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>Devices and accounts</Trans>
      </h3>
      <dl className={styles.counts}>
        <div>
          <dt>{t`Devices`}</dt>
          <dd>
            <Link to="/dashboard/maple/devices" search={{ serviceId: [id] }} preload={false}>
              {countOf(impact?.devices)}
            </Link>
          </dd>
        </div>
        <div>
          <dt>{t`Accounts`}</dt>
          <dd>
            <Link to="/dashboard/maple/accounts" search={{ serviceId: [id] }} preload={false}>
              {countOf(impact?.accounts)}
            </Link>
          </dd>
        </div>
      </dl>
      {items.length > 0 && (
        <ul className={styles.members}>
          {items.map((account) => (
            <li key={account.id}>
              <Link
                to="/dashboard/maple/accounts"
                search={{ serviceId: [id], account: account.id }}
                preload={false}
              >
                <Person id={account.id} isByEmail />
              </Link>
              <span>{account.roles.join(', ') || t`No roles`}</span>
              {account.expiresAt !== null && (
                <span className="muted">
                  <Trans>
                    until <DateText value={account.expiresAt} />
                  </Trans>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {members?.next && (
        <p className="muted">
          <Trans>The newest {maxMembers}; follow the number above to see all.</Trans>
        </p>
      )}
      {members && items.length === 0 && (
        <p className="muted">
          <Trans>No accounts yet. Choose this service provider when you register an account.</Trans>
        </p>
      )}
    </section>
  )
}
