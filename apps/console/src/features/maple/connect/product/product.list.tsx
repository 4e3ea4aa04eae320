import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { mapleProductStates } from '@grove/contract/maple/connect/product.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Boxes } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { products } from './product.api.ts'
import { ProductStateBadge, useProductStateWords } from './product.labels.tsx'
import { productList } from './product.search.ts'

const ProductPanel = onDemand(() => import('./product.panel.tsx').then((file) => file.ProductPanel))
const CreateProduct = onDemand(() =>
  import('./product.form.tsx').then((file) => file.CreateProduct),
)

/** The products, and beside them one or the form for a new one. */
export function ProductList() {
  const { t } = useLingui()
  const words = useProductStateWords()
  const columns = useProductColumns()
  return (
    <ResourceList
      list={useResourceList(products)}
      title={t`IoT products`}
      description={t`The models of your devices, with their hardware and firmware. Devices join with claim codes.`}
      icon={Boxes}
      columns={columns}
      rowLabel={({ name }) => name}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} product`, other: `#${more} products` })}`
      }
      searchLabel={t`Search by name or model`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`Create your first product`,
        text: t`Name it, create a claim code on its page, and start a device with the code: the device then appears here automatically.`,
      }}
      create={{ label: t`New product`, form: CreateProduct }}
      panel={ProductPanel}
      isEditable
    />
  )
}

function useProductColumns(): DataColumn<MapleProduct>[] {
  const { t } = useLingui()
  return [
    nameColumn(productList, { id: 'name', header: t`Name`, text: ({ name }) => name }),
    {
      id: 'model',
      header: t`Model`,
      cell: ({ model }) => <bdi>{model ?? '–'}</bdi>,
      phone: 'hidden',
    },
    stateColumn(
      t`State`,
      ProductStateBadge,
      mapleProductStates.map((state) => ({ state })),
    ),
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
