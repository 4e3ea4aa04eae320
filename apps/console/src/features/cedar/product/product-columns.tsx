import type { Product } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import type { DataColumn } from '../../../ui/table/types.ts'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { localeTag, missingLocales } from '../parts/translations.ts'
import { VersionState } from '../parts/version-state.tsx'
import styles from './product-columns.module.css'

export function useProductColumns(): DataColumn<Product>[] {
  const { t } = useLingui()
  return [
    {
      id: 'title',
      header: t`App`,
      sort: 'title',
      isPrimary: true,
      cell: ({ productId, translations, iconUrl }) => (
        <Link
          to="/dashboard/cedar/mobile/$productId"
          params={{ productId }}
          className={styles.app}
          prefetch="hover"
        >
          <ProductIcon url={iconUrl} size={32} />
          <LocalisedTitle translations={translations} />
        </Link>
      ),
    },
    {
      id: 'live',
      header: t`Live version`,
      cell: ({ liveVersion }) => liveVersion?.version ?? <Nothing />,
    },
    {
      id: 'newest',
      header: t`Newest version`,
      cell: ({ newestVersion }) =>
        newestVersion ? (
          <span className={styles.version}>
            {newestVersion.version} <VersionState state={newestVersion.state} />
          </span>
        ) : (
          <span className="muted">{t`No version yet`}</span>
        ),
    },
    {
      id: 'locales',
      header: t`Languages`,
      cell: ({ translations, newestVersion }) =>
        newestVersion ? <Completeness translations={translations} /> : <Nothing />,
    },
    {
      id: 'updatedAt',
      header: t`Updated`,
      sort: 'updatedAt',
      firstOrder: 'desc',
      cell: ({ updatedAt }) => <DateText value={updatedAt} isRelative />,
    },
  ]
}

const Nothing = () => <span className="muted">–</span>

function Completeness({ translations }: Pick<Product, 'translations'>) {
  const { t } = useLingui()
  const [only] = translations
  if (!only || missingLocales(translations).length === 0) return <>{t`Complete`}</>
  const code = localeTag(only.localeCode)
  return <span className={styles.missing}>{t`${code} only`}</span>
}
