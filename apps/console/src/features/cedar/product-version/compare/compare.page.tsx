import type { Difference } from '@grove/contract/cedar/difference'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { locales } from '@grove/contract/locale.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { localeNames } from '../../../../ui/i18n/locale.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { fieldLabels } from '../../parts/field-labels.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ProductIcon } from '../../parts/product-icon.tsx'
import { productQuery } from '../../parts/product.api.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { toDraft } from '../../parts/translations.ts'
import { versionQuery } from '../product-version.api.ts'
import { changesOf } from '../release/changes.ts'
import { differenceQuery, siblingsQuery } from './compare.api.ts'
import styles from './compare.page.module.css'
import { FileChanges } from './file-changes.tsx'
import { ManifestChanges, PermissionChanges } from './manifest-changes.tsx'
import { ScreenshotChanges } from './screenshot-changes.tsx'
import { VersionChoice } from './version-choice.tsx'

const TextDifference = onDemand(() =>
  import('./text-difference.tsx').then((module) => module.TextDifference),
)

interface ComparePageProps {
  productId: string
  versionId: string
  /** The version that it is compared with. */
  baseId: string
}

/** What one version of an app changes from another one. */
export function ComparePage({ productId, versionId, baseId }: ComparePageProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const { data: version } = useSuspenseQuery(versionQuery(versionId))
  const { data: base } = useSuspenseQuery(versionQuery(baseId))
  const { data: difference } = useSuspenseQuery(differenceQuery(versionId, baseId))
  const { data: siblings } = useQuery(siblingsQuery(productId))
  const versions = siblings?.items ?? [version, base]
  const go = (next: { versionId: string; baseId: string }) =>
    void navigate({
      to: '/dashboard/cedar/mobile/$productId/$versionId/compare/$baseId',
      params: { productId, ...next },
      replace: true,
      resetScroll: false,
    })
  const numbers = {
    before: { id: baseId, number: base.version },
    after: { id: versionId, number: version.version },
  }
  return (
    <div className={styles.page}>
      <PageHead
        icon={<ProductIcon url={product.iconUrl} size={64} />}
        title={t`Changes from ${base.version} to ${version.version}`}
        description={
          <Link
            to="/dashboard/cedar/mobile/$productId/$versionId"
            params={{ productId, versionId }}
            className={styles.back}
          >
            <ArrowLeft size={14} aria-hidden />
            <Trans>Back to {version.version}</Trans>
          </Link>
        }
      />
      <div className={styles.choices}>
        <VersionChoice
          label={t`From`}
          versions={versions}
          value={baseId}
          onChange={(id) => go({ versionId: id === versionId ? baseId : versionId, baseId: id })}
        />
        <VersionChoice
          label={t`To`}
          versions={versions}
          value={versionId}
          onChange={(id) => go({ versionId: id, baseId: id === baseId ? versionId : baseId })}
        />
      </div>
      <div className={styles.sections}>
        <Section
          title={t`Files`}
          description={<PackageNote difference={difference} {...numbers} />}
        >
          <FileChanges difference={difference} versions={numbers} />
        </Section>
        <PermissionChanges permissions={difference.permissions} />
        <TextChanges version={version} base={base} />
        <ScreenshotChanges version={version} base={base} />
        <ManifestChanges changes={difference.manifest} />
      </div>
    </div>
  )
}

interface PackageNoteProps {
  difference: Difference
  before: { number: string }
  after: { number: string }
}

function PackageNote({ difference: { packages }, before, after }: PackageNoteProps) {
  const missing = packages.after ? (packages.before ? undefined : before) : after
  return missing && <Trans>Version {missing.number} has no package yet.</Trans>
}

function TextChanges({ version, base }: { version: ProductVersion; base: ProductVersion }) {
  const { t, i18n } = useLingui()
  const { texts } = changesOf(version, base)
  const [before, after] = [toDraft(base.translations), toDraft(version.translations)]
  return (
    <Section title={t`Texts`}>
      {texts.length === 0 && <p className="muted">{t`All texts are the same.`}</p>}
      {locales.flatMap((locale) =>
        (texts.find((each) => each.locale === locale)?.fields ?? []).map((field) => (
          <section
            key={`${locale} ${field}`}
            className={styles.text}
            aria-label={`${localeNames[locale]}, ${i18n._(fieldLabels[field])}`}
          >
            <h3>
              {localeNames[locale]}, {i18n._(fieldLabels[field])}
            </h3>
            <TextDifference before={before[locale][field]} after={after[locale][field]} />
          </section>
        )),
      )}
    </Section>
  )
}
