import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Person } from '../../../../people/person.tsx'
import { PartFailure } from '../../../../ui/failure/part-failure.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'
import { membersQuery, maxMembers } from './service.api.ts'
import styles from './service.module.css'

/** The accounts of a service provider with their roles, newest first. */
export function ServiceMembers({ id }: { id: string }) {
  const { t } = useLingui()
  const { data: members, error, refetch } = useQuery(membersQuery(id))
  if (members === undefined)
    return error ? <PartFailure error={error} refetch={refetch} /> : <Pending />
  const { items } = members
  return (
    <section aria-label={t`Accounts`} className={styles.section}>
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
      {members.next && (
        <p className="muted">
          <Trans>The newest {maxMembers}.</Trans>{' '}
          <Link to="/dashboard/maple/accounts" search={{ serviceId: [id] }} preload={false}>
            <Trans>See all</Trans>
          </Link>
        </p>
      )}
      {items.length === 0 && (
        <p className="muted">
          <Trans>No accounts yet. Choose this service provider when you register an account.</Trans>
        </p>
      )}
    </section>
  )
}
