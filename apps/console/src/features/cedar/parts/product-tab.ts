import type { Product } from '@grove/contract/cedar/product'
import { type MessageDescriptor, i18n } from '@lingui/core'
import { queryClient } from '../../../api/query-client.ts'
import { currentLocale } from '../../../ui/i18n/locale.ts'
import type { PageNames } from '../../../ui/page/page-title.ts'
import { loadOr404 } from './load.ts'
import { productQuery } from './product.api.ts'
import { titleIn } from './titles.ts'

/** The product that a URL names, or the "not found" page. */
export const loadProduct = (productId: string): Promise<Product> =>
  loadOr404(() =>
    queryClient.ensureQueryData({ ...productQuery(productId), revalidateIfStale: true }),
  )

/** The tab's title in the browser and in the breadcrumbs. */
export function tabNames(product: Product, label: MessageDescriptor): PageNames {
  const { title } = titleIn(product.translations, currentLocale())
  const crumb = i18n._(label)
  return {
    title: `${title} · ${crumb}`,
    crumb,
    parents: [{ title, href: `/dashboard/cedar/mobile/${product.productId}` }],
  }
}
