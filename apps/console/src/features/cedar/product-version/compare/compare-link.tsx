import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { GitCompare } from 'lucide-react'
import { Link } from '../../../../ui/link/link.tsx'
import { siblingsQuery } from './compare.api.ts'

interface CompareLinkProps {
  product: Product
  version: ProductVersion
}

/** Links to the comparison with the live version; from the live one, with the version before it. */
export function CompareLink({ product, version }: CompareLinkProps) {
  const { t } = useLingui()
  const { productId, productVersionId: versionId } = version
  const live = product.liveVersion?.productVersionId
  const isLiveOther = live !== undefined && live !== versionId
  const { data } = useQuery({
    ...siblingsQuery(productId),
    enabled: !isLiveOther && product.versionCount > 1,
  })
  const items = data?.items ?? []
  const place = items.findIndex(({ productVersionId }) => productVersionId === versionId)
  const neighbour = items[place + 1] ?? items[place - 1]
  const baseId = isLiveOther ? live : neighbour?.productVersionId
  if (baseId === undefined) return null
  return (
    <Link
      to="/dashboard/cedar/mobile/$productId/$versionId/compare/$baseId"
      params={{ productId, versionId, baseId }}
      className="button"
      prefetch="none"
    >
      <GitCompare size={16} aria-hidden />
      {t`Compare with…`}
    </Link>
  )
}
