import type { Event } from '@grove/contract/core/event'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Person } from '../../../../people/person.tsx'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { historyQuery } from './account.api.ts'
import styles from './account.module.css'

const rolesOf = (side: unknown): string[] => {
  const roles: unknown = Object(side).roles
  return Array.isArray(roles) ? roles.map(String) : []
}

/** Who granted and revoked what, and when, newest first. */
export function AccountHistory({ id }: { id: string }) {
  const { t } = useLingui()
  const heading = useId()
  const { data } = useQuery(historyQuery(id))
  const words = (event: Event) => {
    const [was, is] = [rolesOf(event.before), rolesOf(event.after)]
    const granted = is.filter((role) => !was.includes(role)).join(', ')
    const revoked = was.filter((role) => !is.includes(role)).join(', ')
    if (event.action === 'account.create')
      return granted === '' ? t`Registered` : t`Registered with ${granted}`
    if (event.action === 'account.delete') return t`Deleted`
    if (granted !== '' && revoked !== '') return t`Granted ${granted}, revoked ${revoked}`
    if (granted !== '') return t`Granted ${granted}`
    if (revoked !== '') return t`Revoked ${revoked}`
    return t`Changed the expiry or the service provider`
  }
  if (!data || data.items.length === 0) return null
  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>History</Trans>
      </h3>
      <ol className={styles.history}>
        {data.items.map((event) => (
          <li key={event.id}>
            <span>{words(event)}</span>
            <span className="muted">
              <DateText value={event.at} />
              {event.actor !== null && (
                <>
                  {' · '}
                  <Person id={event.actor} isLinked />
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
