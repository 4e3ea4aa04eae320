import { createFileRoute, notFound } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../api/problem.ts'
import { MissingProduct } from '../../../../../features/maple/product/missing-product.tsx'
import { products } from '../../../../../features/maple/product/product.api.ts'
import { ProductPage } from '../../../../../features/maple/product/product.page.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/products/$id')({
  loader: async ({ context: { queryClient }, params: { id } }) => {
    const { items } = await queryClient
      .ensureQueryData({ ...products.one(id), revalidateIfStale: true })
      .catch((error: unknown) => {
        throw error instanceof ApiProblem && error.status < 500 ? notFound() : error
      })
    const [product] = items
    if (!product) throw notFound()
    return { title: product.name, crumb: product.name, parents: [] }
  },
  notFoundComponent: MissingProduct,
  component: ProductRoute,
})

function ProductRoute() {
  const { id } = Route.useParams()
  return <ProductPage key={id} id={id} />
}
