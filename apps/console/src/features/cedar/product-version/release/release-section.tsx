import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Trans, useLingui } from '@lingui/react/macro'
import { Circle, CircleDashed } from 'lucide-react'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import facts from '../../../../ui/text/fact-list.module.css'
import { Section } from '../../../../ui/page/section.tsx'
import { ShareButton } from '../../parts/share/share-button.tsx'
import { ChangeList } from './change-list.tsx'
import type { Changes } from './changes.ts'
import styles from './release-section.module.css'
import { gapsOf } from './steps.ts'

interface ReleaseSectionProps {
  version: ProductVersion
  live: Product['liveVersion']
  changes: Changes | undefined
}

/** When the version was live, what it lacks, and what it changes. */
export function ReleaseSection({ version, live, changes }: ReleaseSectionProps) {
  const { t, i18n } = useLingui()
  const gaps = gapsOf(version)
  const number = live?.version
  return (
    <Section
      id="release"
      title={t`Release`}
      action={version.enabled && <ShareButton productId={version.productId} />}
      description={
        version.enabled
          ? t`This version is live: the catalogue shows it and people run it.`
          : live
            ? t`Version ${number} is live. Publishing this one immediately replaces it for everyone; you can roll back at any time.`
            : t`No version is live. Publishing this one makes the app available to everyone immediately.`
      }
    >
      <dl className={facts.facts}>
        <dt>{t`Last published`}</dt>
        <dd>
          <DateText value={version.enabledAt} isRelative />
        </dd>
        <dt>
          <Trans context="of a version">Created</Trans>
        </dt>
        <dd>
          <DateText value={version.createdAt} isRelative />
        </dd>
      </dl>
      {gaps.length > 0 && (
        <ul className={styles.gaps} aria-label={t`Still to do`}>
          {gaps.map(({ text, isOptional }) => (
            <li key={text.id}>
              {isOptional ? (
                <CircleDashed size={16} aria-hidden />
              ) : (
                <Circle size={16} aria-hidden />
              )}
              <span>
                {i18n._(text)}
                {isOptional && (
                  <span className="muted">
                    {' '}
                    <Trans>(recommended)</Trans>
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {!version.enabled && live && changes && (
        <section className={styles.changes} aria-label={t`Changes from ${number}`}>
          <h3>{t`Changes from ${number}`}</h3>
          {changes.count > 0 ? (
            <ChangeList changes={changes} />
          ) : (
            <p className="muted">
              <Trans>None yet</Trans>
            </p>
          )}
        </section>
      )}
    </Section>
  )
}
