import { Trans } from '@lingui/react/macro'
import { createFileRoute, notFound } from '@tanstack/react-router'
import { products } from '../../../../../features/maple/connect/product/product.api.ts'
import { ProductPage } from '../../../../../features/maple/connect/product/product.page.tsx'
import { Missing } from '../../../../../ui/page/missing.tsx'
import { orMissing } from '../../../../../ui/page/or-missing.ts'

export const Route = createFileRoute('/_app/dashboard/maple/products/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { items } = await queryClient
      .ensureQueryData({ ...products.one(id), revalidateIfStale: true })
      .catch(orMissing)
    const [product] = items
    if (!product) throw notFound()
    return { title: product.name, crumb: product.name, parents: [] }
  },
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
