import type { MapleRole } from '@grove/contract/maple/access/account'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { Link } from '../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { useRightWords } from '../right.labels.ts'
import { rolesQuery } from './account.api.ts'
import styles from './role-matrix.module.css'

/** What each role may do, as the service enforces it. */
export function RoleMatrix() {
  const { t } = useLingui()
  const words = useRightWords()
  const { data } = useSuspenseQuery(rolesQuery())
  const known = data.items.filter(({ isKnown }) => isKnown)
  const unknown = data.items.filter(({ isKnown }) => !isKnown)
  const grantersOf = ({ grantedBy }: Partial<MapleRole>) => grantedBy?.join(', ')
  const isGrantKnown = known.some((role) => grantersOf(role) !== undefined)
  // A third-party service may only name its roles.
  if (data.rights.length === 0 && !isGrantKnown) return <RoleNames roles={known} />
  return (
    <>
      <PageHeader
        title={t`Roles`}
        description={t`What each role of a Maple account may do: the table that the service enforces. Administrators may do everything, without an account.`}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <section className={styles.wide} tabIndex={0} aria-label={t`Roles and rights`}>
        <table className={styles.matrix}>
          <thead>
            <tr>
              <th scope="col">{t`Right`}</th>
              {known.map(({ role }) => (
                <th key={role} scope="col">
                  <RoleLink role={role} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.rights.map((right) => (
              <tr key={right}>
                <th scope="row">{words[right]}</th>
                {known.map(({ role, rights }) => (
                  <td key={role}>
                    {rights.includes(right) ? (
                      <>
                        <Check size={16} aria-hidden />
                        <span className="visually-hidden">{t`yes`}</span>
                      </>
                    ) : (
                      <span className="muted">
                        <span aria-hidden>·</span>
                        <span className="visually-hidden">{t`no`}</span>
                      </span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
            {isGrantKnown && (
              <tr>
                <th scope="row">{t`Granted by administrators and`}</th>
                {known.map((role) => (
                  <td key={role.role} className={styles.granters}>
                    {grantersOf(role)}
                  </td>
                ))}
              </tr>
            )}
          </tbody>
        </table>
      </section>
      <div className={styles.narrow}>
        {known.map((role) => {
          const granters = grantersOf(role)
          return (
            <section key={role.role}>
              <h2>
                <RoleLink role={role.role} />
              </h2>
              <ul>
                {role.rights.map((right) => (
                  <li key={right}>{words[right]}</li>
                ))}
              </ul>
              {isGrantKnown && (
                <p className="muted">{t`Granted by administrators and ${granters}`}</p>
              )}
            </section>
          )
        })}
      </div>
      {unknown.length > 0 && (
        <section className={styles.unknown}>
          <h2>
            <Trans>Roles without rights</Trans>
          </h2>
          <p className="muted">
            <Trans>Accounts have these roles, but Maple does not know them.</Trans>
          </p>
          <ul>
            {unknown.map(({ role }) => (
              <li key={role}>
                <RoleLink role={role} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function RoleNames({ roles }: { roles: readonly MapleRole[] }) {
  const { t } = useLingui()
  return (
    <>
      <PageHeader
        title={t`Roles`}
        description={t`The service names its roles, but not what each may do.`}
      />
      <ul className={styles.unknown}>
        {roles.map(({ role }) => (
          <li key={role}>
            <RoleLink role={role} />
          </li>
        ))}
      </ul>
    </>
  )
}

const RoleLink = ({ role }: { role: string }) => (
  <Link to="/dashboard/maple/accounts" search={{ role: [role] }} preload={false}>
    <code>{role}</code>
  </Link>
)
