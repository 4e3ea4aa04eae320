import { useSuspenseQuery } from '@tanstack/react-query'
import { productQuery } from '../parts/product.api.ts'
import { LinksSection } from './links-section.tsx'
import { OpensSection } from './opens-section.tsx'

/** The links of an app and how often they are opened. */
export function LinksTab({ productId }: { productId: string }) {
  const { data: product } = useSuspenseQuery(productQuery(productId))
  return (
    <>
      <LinksSection product={product} />
      <OpensSection productId={productId} />
    </>
  )
}
