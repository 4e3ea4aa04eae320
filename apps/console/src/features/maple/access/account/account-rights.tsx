import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useId } from 'react'
import { useRightWords } from '../right.labels.ts'
import { rightsQuery } from './account.api.ts'
import styles from './account.module.css'

/** What an account may do and through which role, and which roles would allow the rest. */
export function AccountRights({ id }: { id: string }) {
  const { t } = useLingui()
  const heading = useId()
  const words = useRightWords()
  const { data } = useQuery(rightsQuery(id))
  if (!data) return null
  const { blockedBy } = data
  const given = data.rights.filter(({ roles }) => roles.length > 0)
  const missing = data.rights.filter(({ roles }) => roles.length === 0)
  return (
    <section aria-labelledby={heading} className={styles.section}>
      <h3 id={heading}>
        <Trans>Allowed</Trans>
      </h3>
      {blockedBy === 'expired' && (
        <p className="notice">
          <Trans>
            Nothing at present: the account has expired. A later expiry date restores its rights.
          </Trans>
        </p>
      )}
      {blockedBy === 'service_suspended' && (
        <p className="notice">
          <Trans>Nothing at present: its service provider is suspended.</Trans>
        </p>
      )}
      {data.serviceId !== null && (
        <p className="muted">
          <Trans>Only in calls that are limited to its service provider.</Trans>
        </p>
      )}
      <ul className={styles.rights}>
        {given.map(({ right, roles }) => {
          const names = roles.join(', ')
          return (
            <li key={right}>
              {blockedBy === null ? <Check size={16} aria-hidden /> : <X size={16} aria-hidden />}
              <span>
                {words[right]} <span className="muted">{t`through ${names}`}</span>
              </span>
            </li>
          )
        })}
      </ul>
      {missing.length > 0 && (
        <details>
          <summary>{t`Not allowed`}</summary>
          <ul className={styles.rights}>
            {missing.map(({ right, givenBy }) => {
              const names = givenBy.join(', ')
              return (
                <li key={right}>
                  <X size={16} aria-hidden />
                  <span>
                    {words[right]} <span className="muted">{t`needs one of: ${names}`}</span>
                  </span>
                </li>
              )
            })}
          </ul>
        </details>
      )}
    </section>
  )
}
