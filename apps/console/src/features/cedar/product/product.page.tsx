import type { Product } from '@grove/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Package, Plus } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../session/api.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import type { ListView } from '../../../ui/table/types.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { PageHead } from '../parts/page-head.tsx'
import {
  cacheProduct,
  productQuery,
  versionListQuery,
  versionPageSize,
} from '../parts/product.api.ts'
import { ReleaseHistory } from '../parts/release-history.tsx'
import { Section } from '../parts/section.tsx'
import { TranslationsForm } from '../parts/translations-form.tsx'
import { VersionState } from '../parts/version-state.tsx'
import { CreateVersion } from './create-version.tsx'
import { DeleteProduct } from './delete-product.tsx'
import { IconUpload } from './icon-upload.tsx'
import styles from './product-page.module.css'
import { useVersionColumns } from './version-columns.tsx'

interface ProductPageProps {
  productId: string
  view: Pick<ListView, 'cursor' | 'hide'>
  onView: (change: ListView) => void
}

const titleOnly = ['title'] as const

export function ProductPage({ productId, view, onView }: ProductPageProps) {
  const { t } = useLingui()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const versions = useQuery(versionListQuery(productId, view.cursor))
  const columns = useVersionColumns(product)
  const open = (versionId: string) =>
    void navigate({
      to: '/dashboard/cedar/mobile/$productId/$versionId',
      params: { productId, versionId },
    })

  const createButton = (
    <button type="button" className="button primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden />
      {t`New version`}
    </button>
  )

  return (
    <>
      <PageHead
        icon={<IconUpload product={product} />}
        title={<LocalisedTitle translations={product.translations} />}
        description={<LiveSummary product={product} />}
        action={product.versionCount > 0 && createButton}
      />
      <div className={styles.sections}>
        <DataTable
          name="cedar.version"
          label={t`Versions`}
          columns={columns}
          rowId={({ productVersionId }) => productVersionId}
          rowLabel={({ version }) => version}
          list={versions}
          pageSize={Math.max(1, Math.min(product.versionCount, versionPageSize))}
          view={view}
          onView={onView}
          onOpen={({ productVersionId }) => open(productVersionId)}
          isFiltered={false}
          onClearFilters={() => onView({ cursor: undefined })}
          filters={<h2 className={styles.heading}>{t`Versions`}</h2>}
          empty={
            <EmptyState
              icon={Package}
              title={t`No version yet`}
              text={t`A version holds the package that people run, its texts and its screenshots. One version is live at a time; the others wait or can be rolled back to.`}
              action={createButton}
            />
          }
        />
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
      {isCreating && (
        <CreateVersion
          product={product}
          onCreated={({ productVersionId }) => open(productVersionId)}
          onClose={() => setCreating(false)}
        />
      )}
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
