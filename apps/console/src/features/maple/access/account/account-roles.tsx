import type { MapleAccount } from '@grove/contract/maple/access/account'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { accounts, isRightsKnown, rolesQuery } from './account.api.ts'
import styles from './account.module.css'

/** The roles of an account, with actions to grant and revoke them. */
export function AccountRoles({ account: { id, roles } }: { account: MapleAccount }) {
  const { t } = useLingui()
  const heading = useId()
  const field = useId()
  const confirmed = useConfirmed()
  const { data } = useQuery(rolesQuery())
  const [chosen, setChosen] = useState('')
  const known = data?.items ?? []
  const free = known.filter(({ role, isKnown }) => isKnown && !roles.includes(role))
  const next = free.some(({ role }) => role === chosen) ? chosen : ''

  const grant = (role: string) =>
    confirmed({
      question: {
        title: t`Grant the role ${role}?`,
        text: t`It takes effect with the user’s next request.`,
        action: t`Grant`,
      },
      change: () => api.maple.post('/api/maple/roles', { query: { id, role } }),
      done: () => t`The role ${role} is granted.`,
      refresh: accounts.refresh,
    })
  const revoke = (role: string) =>
    confirmed({
      question: {
        title: t`Revoke the role ${role}?`,
        text: t`The user loses its rights with the next request.`,
        action: t`Revoke`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/roles', { query: { id, role } }),
      done: () => t`The role ${role} is revoked.`,
      refresh: accounts.refresh,
    })

  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>Roles</Trans>
      </h3>
      {roles.length === 0 && (
        <p className="muted">
          <Trans>No roles: the account cannot do anything in Maple.</Trans>
        </p>
      )}
      <ul className={styles.roles}>
        {roles.map((role) => (
          <li key={role}>
            <span>
              <code>{role}</code>{' '}
              {isRightsKnown(known) &&
                !known.some((each) => each.role === role && each.isKnown) && (
                  <span className="muted">
                    <Trans>grants no rights</Trans>
                  </span>
                )}
            </span>
            <button
              type="button"
              className="button small"
              aria-label={t`Revoke ${role}`}
              onClick={() => void revoke(role)}
            >
              <Trans>Revoke…</Trans>
            </button>
          </li>
        ))}
      </ul>
      {free.length > 0 && (
        <form
          className={styles.grant}
          onSubmit={(event) => {
            event.preventDefault()
            if (next !== '') void grant(next)
          }}
        >
          <label htmlFor={field}>{t`Role to grant`}</label>
          <select
            id={field}
            className="select"
            value={next}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="">{t`Choose a role`}</option>
            {free.map(({ role }) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
          <button type="submit" className="button" aria-disabled={next === ''}>
            <Trans>Grant…</Trans>
          </button>
        </form>
      )}
    </section>
  )
}
