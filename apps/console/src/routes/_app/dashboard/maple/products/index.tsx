import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { products } from '../../../../../features/maple/connect/product/product.api.ts'
import { ProductList } from '../../../../../features/maple/connect/product/product.list.tsx'
import { productList } from '../../../../../features/maple/connect/product/product.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/products/')({
  staticData: { title: msg`IoT Products` },
  validateSearch: productList.read,
  loaderDeps: ({ search }) => productList.deps(search),
  loader: ({ context, deps }) => prefetchList(products, context, deps),
  component: ProductList,
})
