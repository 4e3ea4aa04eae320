import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { products } from '../../../../../features/maple/connect/product/product.api.ts'
import { ProductPage } from '../../../../../features/maple/connect/product/product.page.tsx'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/products/$id')({
  loader: ({ context, params: { id } }) =>
    loadItem(context, products.one(id), ({ items: [product] }) => product?.name),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such product</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/products"
      link={<Trans>Go to the products</Trans>}
    />
  ),
  component: ProductRoute,
})

function ProductRoute() {
  const { id } = Route.useParams()
  return <ProductPage key={id} id={id} />
}
