import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { locales } from '@grove/contract/locale.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { ArrowLeft, Smartphone } from 'lucide-react'
import { useState, type FocusEvent } from 'react'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { Link } from '../../../ui/link/link.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { useProductShared } from '../parts/link-address.ts'
import { productQuery } from '../parts/product.api.ts'
import { Section } from '../../../ui/page/section.tsx'
import { TranslationsForm } from '../parts/translations-form.tsx'
import { versionFields } from '../parts/translations.ts'
import { CompareLink } from './compare/compare-link.tsx'
import { DeleteVersion } from './delete-version.tsx'
import { Preview } from './listing/preview.tsx'
import { useListingForm } from './listing/use-listing-form.ts'
import { PackageSection } from './package/package-section.tsx'
import { versionQuery } from './product-version.api.ts'
import styles from './product-version.page.module.css'
import { changesOf } from './release/changes.ts'
import { ReleaseBar } from './release/release-bar.tsx'
import { ReleaseSection } from './release/release-section.tsx'
import { useReleaseDialog } from './release/use-release-dialog.tsx'
import { ScreenshotsSection } from './screenshots/screenshots-section.tsx'

interface VersionPageProps {
  productId: string
  versionId: string
}

/** A version on its way to release: package, listing, screenshots, and what enabling it does. */
export function VersionPage({ productId, versionId }: VersionPageProps) {
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  useProductShared(product)
  const { data: version } = useSuspenseQuery(versionQuery(versionId))
  const changes = useChanges(version, product.liveVersion?.productVersionId)
  const form = useListingForm(version)
  const release = useReleaseDialog()
  const [locale, setLocale] = useState(currentLocale)
  const [isPreviewOpen, setPreviewOpen] = useState(false)
  const preview = (
    <Preview
      iconUrl={product.iconUrl}
      version={version}
      draft={form.values}
      locale={locale}
      onLocale={setLocale}
    />
  )
  /** The preview follows the language being edited. */
  const followLanguage = ({ target }: FocusEvent) => {
    const edited = locales.find((each) => each === target.getAttribute('lang'))
    if (edited) setLocale(edited)
  }
  const state = { version, live: product.liveVersion, changes }

  return (
    <div className={styles.release}>
      <PageHead
        icon={<ProductIcon url={product.iconUrl} size={64} />}
        title={
          <>
            <LocalisedTitle translations={product.translations} />
            <span className={styles.number}>{version.version}</span>
          </>
        }
        description={
          <Link
            to="/dashboard/cedar/mobile/$productId/versions"
            params={{ productId }}
            className={styles.back}
          >
            <ArrowLeft size={14} aria-hidden />
            <Trans>All versions</Trans>
          </Link>
        }
        action={<CompareLink product={product} version={version} />}
      />
      <ReleaseBar {...state} onRelease={release.onRelease} />
      <div className={styles.page}>
        <div className={styles.sections}>
          <PackageSection version={version} />
          <Section
            id="listing"
            title={t`Listing`}
            description={t`What people read in the catalogue. A version needs English to go live; a missing language falls back to English.`}
            action={
              <button
                type="button"
                className={`button ${styles.previewButton}`}
                onClick={() => setPreviewOpen(true)}
              >
                <Smartphone size={16} aria-hidden />
                {t`Preview`}
              </button>
            }
          >
            <div onFocus={followLanguage}>
              <TranslationsForm form={form} fields={versionFields} isLive={version.enabled} />
            </div>
          </Section>
          <ScreenshotsSection version={version} />
          <ReleaseSection {...state} />
          <DeleteVersion version={version} />
        </div>
        <aside className={styles.aside} aria-label={t`Preview`}>
          {preview}
        </aside>
      </div>
      {isPreviewOpen && (
        <Dialog title={t`Preview`} closeLabel={t`Close`} onClose={() => setPreviewOpen(false)}>
          {preview}
        </Dialog>
      )}
      {release.dialog}
    </div>
  )
}

/** The changes from the live version; undefined until known, and if there is no live version. */
function useChanges(version: ProductVersion, liveId: string | undefined) {
  const { data: live } = useQuery({ ...versionQuery(liveId ?? ''), enabled: liveId !== undefined })
  return live && changesOf(version, live)
}
