import { productStatuses } from '@grove/contract/cedar/product.rules'
import type { Product } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid, Plus } from 'lucide-react'
import { useState } from 'react'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { SearchBox } from '../../../ui/table/search-box.tsx'
import { productListQuery, productPageSize, providersQuery } from '../parts/product.api.ts'
import { titleIn } from '../parts/translations.ts'
import { CreateProduct } from './create-product.tsx'
import { useProductColumns } from './product-columns.tsx'
import { FirstRun } from './first-run.tsx'
import { listQueryOf, type ProductSearch } from './product.search.ts'
import { ProviderSelect } from './provider-select.tsx'

interface ProductListProps {
  search: ProductSearch
  onSearch: (change: Partial<ProductSearch>) => void
}

const noFilters = { q: undefined, status: undefined, providerId: undefined, cursor: undefined }

/** The apps of the reader's providers. */
export function ProductList({ search, onSearch }: ProductListProps) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [isCreating, setCreating] = useState(false)
  const list = useQuery(productListQuery(listQueryOf(search)))
  const { data: providers = [] } = useQuery(providersQuery)
  const columns = useProductColumns()
  const titleOf = ({ translations }: Product) => titleIn(translations, currentLocale()).title
  const open = (productId: string) =>
    void navigate({ to: '/dashboard/cedar/mobile/$productId', params: { productId } })

  const createButton = (
    <button type="button" className="button primary" onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden />
      {t`New app`}
    </button>
  )
  const isFiltered = Boolean(search.q ?? search.status ?? search.providerId)
  // The empty state offers the first step itself.
  const isEmpty = list.data?.items.length === 0 && !isFiltered && !search.cursor
  const statusNames = { live: t`With a live version`, draft: t`Without a live version` }

  return (
    <>
      <PageHeader
        title={t`My apps`}
        description={t`Mini-apps that you publish to the catalogue.`}
        action={!isEmpty && createButton}
      />
      <FirstRun />
      <DataTable
        name="cedar.product"
        label={t`Apps`}
        columns={columns}
        rowId={({ productId }) => productId}
        rowLabel={titleOf}
        list={list}
        pageSize={productPageSize}
        view={{ ...search, sort: search.sort ?? 'updatedAt', order: search.order ?? 'desc' }}
        onView={(change) => onSearch(change as Partial<ProductSearch>)}
        onOpen={({ productId }) => open(productId)}
        isFiltered={isFiltered}
        onClearFilters={() => onSearch(noFilters)}
        filters={
          <>
            <SearchBox
              label={t`Search by title`}
              value={search.q ?? ''}
              onChange={(q) => onSearch({ q: q || undefined, cursor: undefined })}
            />
            <select
              className="select"
              aria-label={t`Status`}
              value={search.status ?? ''}
              onChange={({ target }) =>
                onSearch({
                  status: productStatuses.find((status) => status === target.value),
                  cursor: undefined,
                })
              }
            >
              <option value="">{t`Any status`}</option>
              {productStatuses.map((status) => (
                <option key={status} value={status}>
                  {statusNames[status]}
                </option>
              ))}
            </select>
            {providers.length > 1 && (
              <ProviderSelect
                providers={providers}
                value={search.providerId}
                any={t`All providers`}
                onChange={(providerId) => onSearch({ providerId, cursor: undefined })}
              />
            )}
          </>
        }
        empty={
          <EmptyState
            icon={LayoutGrid}
            title={t`Publish your first mini-app`}
            text={t`A mini-app is a small web app that runs inside the mobile app, packed as a zip file. Name it first; its icon, texts and package follow on the next page.`}
            action={createButton}
          />
        }
      />
      {isCreating && (
        <CreateProduct
          providers={providers}
          providerId={search.providerId}
          onCreated={({ productId }) => open(productId)}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  )
}
