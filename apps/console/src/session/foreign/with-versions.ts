import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { api } from '../api.ts'

type Summary = NonNullable<Product['liveVersion']>

const summaryOf = ({
  productVersionId,
  version,
  state,
  translations,
}: ProductVersion): Summary => ({
  productVersionId,
  version,
  state,
  locales: translations.flatMap(({ localeCode, title, description }) =>
    title && description ? [localeCode] : [],
  ),
})

/** Fills in an app's live and newest version from its list, if the service does not name them. */
export async function withVersions(answer: unknown): Promise<unknown> {
  if (!isUnversioned(answer)) return answer
  const { productId, liveVersion, newestVersion, versionCount } = answer
  const list = await api.cedar
    .get('/api/developer/productVersion', { query: { productId, limit: 100 } })
    // Otherwise they stay unknown, and the page shows neither.
    .catch(() => undefined)
  if (!list) return answer
  const [newest] = list.items
  const live = list.items.find(({ enabled }) => enabled)
  const isWhole = list.next === null
  return {
    ...answer,
    ...(liveVersion === undefined &&
      (live ?? isWhole) && { liveVersion: live ? summaryOf(live) : null }),
    ...(newestVersion === undefined && { newestVersion: newest ? summaryOf(newest) : null }),
    ...(versionCount === undefined && isWhole && { versionCount: list.items.length }),
  }
}

/** Whether this is one app whose response lacked these fields: they are then present, but undefined. */
function isUnversioned(answer: unknown): answer is Pick<Product, 'productId'> & Partial<Product> {
  const { productId, liveVersion, newestVersion } = (answer ?? {}) as Partial<Product>
  if (productId === undefined || !('newestVersion' in (answer as object))) return false
  return liveVersion === undefined || newestVersion === undefined
}
