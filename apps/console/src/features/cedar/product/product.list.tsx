import type { Product } from '@grove/contract/cedar/product'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid } from 'lucide-react'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { useAfterLoad } from '../../../ui/page/use-after-load.ts'
import { momentColumn } from '../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { LocalisedTitle } from '../parts/localised-title.tsx'
import { ProductIcon } from '../parts/product-icon.tsx'
import { titleIn } from '../parts/titles.ts'
import { Completeness, NewestVersion, Nothing } from './product.labels.tsx'
import { FirstRun } from './first-run.tsx'
import { products } from './product.api.ts'
import { providersQuery } from '../../../session/providers.ts'
import styles from './product.list.module.css'
import { productSearch } from './product.search.ts'
import { useProviderName } from '../parts/use-provider-name.ts'

const FailureNotice = onDemand(() =>
  import('../parts/failure/failure-notice.tsx').then((module) => module.FailureNotice),
)
const CreateProduct = onDemand(() =>
  import('./create-product.tsx').then((module) => module.CreateProduct),
)

/** The apps of the reader's providers, and the form for a new one. */
export function ProductList() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const columns = useProductColumns()
  const providerName = useProviderName()
  const { search, onSearch } = useAddress(productSearch)
  const list = useList(products, search, onSearch)
  const isQuiet = useAfterLoad()
  // The filter only matters to those with several providers: the rows need not wait for it.
  const isAsked = isQuiet || search.create || search.providerId !== undefined
  const { data: providers = [] } = useQuery({ ...providersQuery, enabled: isAsked })
  const open = (productId: string, isNew = false) =>
    void navigate({
      to: '/dashboard/cedar/mobile/$productId',
      params: { productId },
      // Back from a new app goes to the list, not to the form.
      replace: isNew,
    })
  const statusNames = { live: t`With a live version`, draft: t`Without a live version` }
  const byProvider = {
    name: 'providerId' as const,
    label: t({ message: 'Provider', context: 'of apps' }),
    options: providers.map((provider) => ({ value: provider.id, label: providerName(provider) })),
    isSingle: true,
  }

  return (
    <ResourceList
      list={{ ...list, open: (id) => open(id, true) }}
      title={t`My apps`}
      description={t`Mini-apps that you publish to the catalogue.`}
      icon={LayoutGrid}
      columns={columns}
      rowLabel={({ translations }) => titleIn(translations, currentLocale()).title}
      onOpen={({ productId }) => open(productId)}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} app`, other: `#${more} apps` })}`
      }
      searchLabel={t`Search by title`}
      filters={[
        { name: 'status', label: t`Status`, options: optionsOf(statusNames), isSingle: true },
        ...(providers.length > 1 || search.providerId ? [byProvider] : []),
      ]}
      intro={
        <>
          <FirstRun />
          {isQuiet && <FailureNotice />}
        </>
      }
      hasCards
      empty={{
        title: t`Publish your first mini-app`,
        text: t`A mini-app is a small web app that runs inside the mobile app, packed as a zip file. Name it first; its icon, texts and package follow on the next page.`,
      }}
      create={{ label: t`New app`, form: CreateProduct }}
    />
  )
}

function useProductColumns(): DataColumn<Product>[] {
  const { t } = useLingui()
  return [
    {
      id: 'title',
      header: t`App`,
      isPrimary: true,
      cell: ({ productId, translations, iconUrl }) => (
        <Link
          to="/dashboard/cedar/mobile/$productId"
          params={{ productId }}
          className={styles.app}
          prefetch="none"
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
      cell: (product) => <Completeness {...product} />,
    },
    {
      id: 'link',
      header: t({ message: 'Link', context: 'of an app' }),
      isSecondary: true,
      phone: 'hidden',
      cell: ({ linkId }) => (linkId === null ? <Nothing /> : <code>/{linkId}</code>),
    },
    {
      id: 'opens',
      header: t`Opens, 7 days`,
      align: 'end',
      isSecondary: true,
      phone: 'hidden',
      // A third-party service may not count them.
      cell: ({ opens7d }: Partial<Product>) => opens7d ?? <Nothing />,
    },
    momentColumn('updatedAt', t`Updated`),
    momentColumn('createdAt', t({ message: 'Created', context: 'of an app' }), {
      isSecondary: true,
      phone: 'hidden',
    }),
  ]
}
