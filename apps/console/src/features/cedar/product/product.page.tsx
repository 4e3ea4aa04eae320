import type { Product } from '@grove/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../../session/api.ts'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { cacheProduct, productQuery } from '../parts/product.api.ts'
import { Section } from '../parts/section.tsx'
import { TranslationsForm } from '../parts/translations-form.tsx'
import { VersionState } from '../parts/version-state.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { IconUpload } from './icon-upload.tsx'
import styles from './product-page.module.css'
import { ReleaseHistory } from './release-history.tsx'

interface ProductPageProps {
  productId: string
  /** The page's primary action. */
  action: ReactNode
  /** The list of versions. */
  versions: ReactNode
}

const titleOnly = ['title'] as const

export function ProductPage({ productId, action, versions }: ProductPageProps) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  return (
    <>
      <PageHead
        icon={<IconUpload product={product} />}
        title={<LocalisedTitle translations={product.translations} />}
        description={<LiveSummary product={product} />}
        action={action}
      />
      <div className={styles.sections}>
        {versions}
        <Section
          title={t`Titles`}
          description={t`The app’s name in this console. What people see in the catalogue belongs to each version.`}
        >
          <TranslationsForm
            fields={titleOnly}
            saved={product}
            save={async (translations, revision) => {
              const saved = await api.cedar.put('/api/developer/product/{id}', {
                params: { id: productId },
                body: {
                  translations: translations.map(({ localeCode, title }) => ({
                    localeCode,
                    title,
                  })),
                },
                ifMatch: revision,
              })
              cacheProduct(saved)
              return saved
            }}
            reload={() => queryClient.fetchQuery({ ...productQuery(productId), staleTime: 0 })}
          />
        </Section>
        <ReleaseHistory productId={productId} />
        <DeleteProduct product={product} />
      </div>
    </>
  )
}

const LiveSummary = ({ product: { liveVersion, versionCount } }: { product: Product }) => (
  <span className={styles.summary}>
    {liveVersion ? (
      <>
        <VersionState state="live" /> {liveVersion.version}
      </>
    ) : (
      <Trans>No version is live</Trans>
    )}
    <span>
      · <Plural value={versionCount} one="# version" other="# versions" />
    </span>
  </span>
)
