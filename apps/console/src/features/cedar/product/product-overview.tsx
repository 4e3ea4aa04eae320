import type { Product } from '@grove/contract/cedar/product'
import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dash } from '../../../ui/i18n/moment-text.ts'
import { Link } from '../../../ui/link/link.tsx'
import facts from '../../../ui/text/fact-list.module.css'
import { DangerZone } from '../parts/danger-zone.tsx'
import { isKnown } from '../parts/is-known.ts'
import { productQuery } from '../parts/product.api.ts'
import { Section } from '../../../ui/page/section.tsx'
import { VersionState } from '../parts/version-state.tsx'
import { CommandSection } from './command-section.tsx'
import { DeleteProduct } from './delete-product.tsx'
import styles from './product-overview.module.css'
import { RemoveLink } from './remove-link.tsx'
import { ShareSection } from './share-section.tsx'

interface ProductOverviewProps {
  productId: string
  /** What is missing before the app can go live. */
  checklist: ReactNode
  /** Unpublishes the live version. */
  liveSwitch: ReactNode
}

export function ProductOverview(props: ProductOverviewProps) {
  const { productId, checklist, liveSwitch } = props
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const { liveVersion: live, newestVersion: newest } = product
  return (
    <>
      {checklist}
      <div className={styles.pair}>
        <Section title={t`Versions`}>
          <dl className={facts.facts}>
            <dt>{t`Live version`}</dt>
            <dd>
              <VersionText product={product} version={live} />
            </dd>
            <dt>{t`Newest version`}</dt>
            <dd>
              <VersionText product={product} version={newest} />
            </dd>
          </dl>
        </Section>
        <ShareSection product={product} />
      </div>
      <CommandSection productId={productId} />
      <DangerZone>
        {liveSwitch}
        <RemoveLink product={product} />
        <DeleteProduct product={product} />
      </DangerZone>
    </>
  )
}

interface VersionTextProps {
  product: Product
  version: Product['liveVersion']
}

const VersionText = ({ product, version }: VersionTextProps) =>
  version ? (
    <VersionLink product={product} version={version} />
  ) : isKnown(version) ? (
    <Trans>None</Trans>
  ) : (
    <>{dash}</>
  )

interface VersionLinkProps {
  product: Product
  version: NonNullable<Product['liveVersion']>
}

const VersionLink = ({ product: { productId }, version }: VersionLinkProps) => (
  <span className={styles.version}>
    <Link
      to="/dashboard/cedar/mobile/$productId/$versionId"
      params={{ productId, versionId: version.productVersionId }}
      prefetch="none"
    >
      {version.version}
    </Link>
    <VersionState state={version.state} />
  </span>
)
