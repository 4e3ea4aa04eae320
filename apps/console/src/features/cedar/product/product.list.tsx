import type { Product } from '@grove/contract'
import { productStatuses } from '@grove/contract/cedar/product.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid, Plus } from 'lucide-react'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { titleIn } from '../parts/translations.ts'
import { Completeness, NewestVersion, Nothing } from './product.labels.tsx'
import { FirstRun } from './first-run.tsx'
import { products, providersQuery } from './product.api.ts'
import styles from './product.list.module.css'
import { productSearch } from './product.search.ts'
import { useProviderName } from './provider-select.tsx'

const CreateProduct = onDemand(() =>
  import('./create-product.tsx').then((module) => module.CreateProduct),
)

/** The apps of the reader's providers, and the form of a new one. */
export function ProductList() {
  const { i18n, t } = useLingui()
  const navigate = useNavigate()
  const columns = useProductColumns()
  const providerName = useProviderName()
  const { search, onSearch } = useAddress(productSearch)
  const list = useList(products, search, onSearch)
  // The filter is of use to those who have several: the rows need not wait for it.
  const isAsked = list.result.isFetched || search.create || search.providerId !== undefined
  const { data: providers = [] } = useQuery({ ...providersQuery, enabled: isAsked })
  usePrefetch(CreateProduct)
  const open = (productId: string, isNew = false) =>
    void navigate({
      to: '/dashboard/cedar/mobile/$productId',
      params: { productId },
      // Back from a new app leads to the list, not to the form.
      replace: isNew,
    })
  const createButton = (className: string) => (
    <button type="button" className={className} onClick={() => onSearch({ create: true })}>
      <Plus size={16} aria-hidden />
      <Trans>New app</Trans>
    </button>
  )
  const statusNames = { live: t`With a live version`, draft: t`Without a live version` }
  const byProvider = {
    name: 'providerId' as const,
    label: t({ message: 'Provider', context: 'of apps' }),
    options: providers.map((provider) => ({ value: provider.id, label: providerName(provider) })),
    isSingle: true,
  }

  return (
    <>
      <PageHeader
        title={<Trans>My apps</Trans>}
        description={<Trans>Mini-apps that you publish to the catalogue.</Trans>}
        action={createButton('button primary')}
      />
      <FirstRun />
      <DataTable
        {...list.table}
        label={t`Apps`}
        columns={columns}
        rowId={({ productId }) => productId}
        rowLabel={({ translations }) => titleIn(translations, currentLocale()).title}
        onOpen={({ productId }) => open(productId)}
        totalText={(count, isMore) => {
          const number = i18n.number(count)
          return isMore
            ? t`${number}+ apps`
            : t`${plural(count, { one: '# app', other: '# apps' })}`
        }}
        filters={
          <FilterBar
            searchLabel={t`Search by title`}
            {...list.filterBar([
              {
                name: 'status',
                label: t`Status`,
                options: productStatuses.map((value) => ({ value, label: statusNames[value] })),
                isSingle: true,
              },
              ...(providers.length > 1 || search.providerId ? [byProvider] : []),
            ])}
          />
        }
        empty={
          <EmptyState
            icon={LayoutGrid}
            title={t`Publish your first mini-app`}
            text={t`A mini-app is a small web app that runs inside the mobile app, packed as a zip file. Name it first; its icon, texts and package follow on the next page.`}
            action={createButton('button')}
          />
        }
      />
      {search.create && (
        <CreateProduct
          providers={providers}
          providerId={search.providerId?.[0]}
          onCreated={({ productId }) => open(productId, true)}
          onClose={() => onSearch({ create: undefined })}
        />
      )}
    </>
  )
}

function useProductColumns(): DataColumn<Product>[] {
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
          tabIndex={-1}
        >
          <ProductIcon url={iconUrl} size={24} />
          <LocalisedTitle translations={translations} />
        </Link>
      ),
    },
    {
      id: 'live',
      header: t`Live version`,
      phone: 'hidden',
      cell: ({ liveVersion }) => liveVersion?.version ?? <Nothing />,
    },
    {
      id: 'newest',
      header: t`Newest version`,
      phone: 'state',
      cell: ({ newestVersion }) => <NewestVersion version={newestVersion} />,
    },
    {
      id: 'locales',
      header: t`Languages`,
      isSecondary: true,
      cell: ({ translations, newestVersion }) =>
        newestVersion ? <Completeness translations={translations} /> : <Nothing />,
    },
    {
      id: 'updatedAt',
      header: t`Updated`,
      sort: 'updatedAt',
      firstOrder: 'desc',
      sample: <LongestRelativeDates />,
      cell: ({ updatedAt }) => <DateText value={updatedAt} isRelative />,
    },
    {
      id: 'createdAt',
      header: t({ message: 'Created', context: 'of an app' }),
      sort: 'createdAt',
      firstOrder: 'desc',
      isSecondary: true,
      phone: 'hidden',
      sample: <LongestRelativeDates />,
      cell: ({ createdAt }) => <DateText value={createdAt} isRelative />,
    },
  ]
}
