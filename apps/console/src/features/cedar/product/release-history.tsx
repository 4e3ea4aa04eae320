import type { Release } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Person } from '../../../people/person.tsx'
import { api } from '../../../session/api.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Section } from '../../../ui/page/section.tsx'
import styles from './release-history.module.css'

/**
 * Which version went live or was unpublished, when, by whom and why; nothing before the first
 * release.
 */
export function ReleaseHistory({ productId }: { productId: string }) {
  const { t } = useLingui()
  const { data } = useQuery(
    api.cedar.query('/api/developer/product/{id}/release', {
      params: { id: productId },
      query: { limit: 20 },
    }),
  )
  if (!data || data.items.length === 0) return null
  return (
    <Section title={t`Release history`}>
      <ol className={styles.history}>
        {data.items.map((release) => (
          <li key={release.id}>
            <p>
              <Happening {...release} />
            </p>
            <span className="muted">
              <DateText value={release.at} isRelative />
              {release.actor !== null && (
                <>
                  {' · '}
                  <Person id={release.actor} isLinked />
                </>
              )}
            </span>
            {release.reason && (
              <blockquote className={styles.reason}>
                <bdi>{release.reason}</bdi>
              </blockquote>
            )}
          </li>
        ))}
      </ol>
      {data.next && (
        <p className="muted">
          <Trans>Only the latest releases are shown.</Trans>
        </p>
      )}
    </Section>
  )
}

function Happening({ action, version, replaced }: Release) {
  if (action === 'disable') return <Trans>{version} was unpublished.</Trans>
  if (action === 'rollback')
    return replaced ? (
      <Trans>
        Rolled back from {replaced} to {version}.
      </Trans>
    ) : (
      <Trans>{version} went live again.</Trans>
    )
  return replaced ? (
    <Trans>
      {version} went live and replaced {replaced}.
    </Trans>
  ) : (
    <Trans>{version} went live.</Trans>
  )
}
