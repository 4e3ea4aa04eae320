import type { Product } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { localeTag, missingLocales } from '../parts/titles.ts'
import { VersionState } from '../parts/version-state.tsx'
import styles from './product.labels.module.css'

export const Nothing = () => <span className="muted">–</span>

export function NewestVersion({ version }: { version: Product['newestVersion'] }) {
  const { t } = useLingui()
  if (!version) return <span className="muted">{t`No version yet`}</span>
  return (
    <span className={styles.version}>
      {version.version} <VersionState state={version.state} />
    </span>
  )
}

/** Whether the app has a title in every language. */
export function Completeness({ translations }: Pick<Product, 'translations'>) {
  const { t } = useLingui()
  const [only] = translations
  if (!only || missingLocales(translations).length === 0) return <>{t`Complete`}</>
  const code = localeTag(only.localeCode)
  return <span className={styles.missing}>{t`${code} only`}</span>
}
