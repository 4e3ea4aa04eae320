import type { Product } from '@grove/contract/cedar/product'
import { locales } from '@grove/contract/locale.rules'
import { useLingui } from '@lingui/react/macro'
import { localeTag, missingLocales } from '../parts/titles.ts'
import { VersionState } from '../parts/version-state.tsx'
import styles from './product.labels.module.css'

export const Nothing = () => <span className="muted">–</span>

export function NewestVersion({ version }: { version: Product['newestVersion'] | undefined }) {
  const { t } = useLingui()
  // A third-party service need not say which.
  if (version === undefined) return <Nothing />
  if (!version) return <span className="muted">{t`No version yet`}</span>
  return (
    <span className={styles.version}>
      {version.version} <VersionState state={version.state} />
    </span>
  )
}

/** The languages in which the app has a title and its newest version a title and a description. */
export function Completeness({ translations, newestVersion }: Product) {
  const { t } = useLingui()
  if (!newestVersion) return <Nothing />
  const untitled = missingLocales(translations)
  const written = locales.filter(
    (locale) => !untitled.includes(locale) && newestVersion.locales.includes(locale),
  )
  if (written.length === locales.length) return <>{t`Complete`}</>
  const codes = written.map(localeTag).join(', ')
  return <span className={styles.missing}>{codes === '' ? t`Incomplete` : t`${codes} only`}</span>
}
