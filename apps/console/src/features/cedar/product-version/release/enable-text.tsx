import type { Finding } from '@grove/contract/cedar/package-report'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { missingLocales } from '../../parts/titles.ts'
import styles from './enable-text.module.css'

interface EnableTextProps {
  version: ProductVersion
  live: Product['liveVersion']
}

const sumOf = (findings: readonly Finding[]) => findings.reduce((sum, { count }) => sum + count, 0)

/** What enabling a version replaces, and what the reader may have forgotten. */
export function EnableText({ version, live }: EnableTextProps) {
  const { t } = useLingui()
  const warnings = sumOf(version.package?.report?.findings ?? [])
  const forgotten = [
    ...missingLocales(version.translations).map((locale) =>
      locale === 'en-US' ? t`There are no texts in English.` : t`There are no texts in Russian.`,
    ),
    ...(version.images.length === 0 ? [t`There are no screenshots.`] : []),
  ]
  return (
    <>
      <p>
        {live ? (
          <Trans>
            It immediately replaces {live.version}, which is now live, for everyone. You can roll
            back to {live.version} at any time.
          </Trans>
        ) : (
          <Trans>No version is live now. This one becomes available immediately.</Trans>
        )}
      </p>
      {(forgotten.length > 0 || warnings > 0) && (
        <ul className={styles.list}>
          {forgotten.map((text) => (
            <li key={text}>{text}</li>
          ))}
          {warnings > 0 && (
            <li>
              <Plural
                value={warnings}
                one="The package check has # warning."
                other="The package check has # warnings."
              />
            </li>
          )}
        </ul>
      )}
    </>
  )
}
