import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ArrowLeft } from 'lucide-react'
import { api } from '../../../session/api.ts'
import { Link } from '../../../ui/link/link.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PackageSection } from './package/package-section.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { productQuery } from '../parts/product.api.ts'
import { cacheVersion, versionQuery } from './product-version.api.ts'
import { ScreenshotsSection } from './screenshots/screenshots-section.tsx'
import { notify } from '../../../ui/toast/notify.ts'
import { Section } from '../parts/section.tsx'
import { TranslationsForm } from '../parts/translations-form.tsx'
import { versionFields } from '../parts/translations.ts'
import { VersionState } from '../parts/version-state.tsx'
import { DeleteVersion } from './delete-version.tsx'
import { VersionAside } from './version-aside.tsx'
import styles from './version-page.module.css'

interface VersionPageProps {
  productId: string
  versionId: string
}

export function VersionPage({ productId, versionId }: VersionPageProps) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const { data: version } = useSuspenseQuery(versionQuery(versionId))
  return (
    <>
      <PageHead
        icon={<ProductIcon url={product.iconUrl} size={64} />}
        title={
          <>
            <LocalisedTitle translations={product.translations} />
            <span className={styles.number}>{version.version}</span>
          </>
        }
        description={
          <span className={styles.under}>
            <Link
              to="/dashboard/cedar/mobile/$productId"
              params={{ productId }}
              className={styles.back}
            >
              <ArrowLeft size={14} aria-hidden />
              <Trans>All versions</Trans>
            </Link>
            <VersionState state={version.state} />
          </span>
        }
      />
      <div className={styles.page}>
        <div className={styles.aside}>
          <VersionAside version={version} live={product.liveVersion} />
        </div>
        <div className={styles.sections}>
          <PackageSection version={version} />
          <Section
            id="texts"
            title={t`Texts`}
            description={t`What people read in the catalogue. A version needs English to go live; where a language is missing, English stands in.`}
          >
            <TranslationsForm
              fields={versionFields}
              saved={version}
              isLive={version.enabled}
              save={async (translations, revision) => {
                const saved = await api.cedar.put('/api/developer/productVersion/{id}', {
                  params: { id: versionId },
                  body: { translations },
                  ifMatch: revision,
                })
                cacheVersion(saved)
                if (saved.enabled) notify({ text: t`Published.` })
                return saved
              }}
              reload={() => queryClient.fetchQuery({ ...versionQuery(versionId), staleTime: 0 })}
            />
          </Section>
          <ScreenshotsSection version={version} />
          <DeleteVersion version={version} />
        </div>
      </div>
    </>
  )
}
