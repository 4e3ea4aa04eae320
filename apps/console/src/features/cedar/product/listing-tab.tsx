import { useSuspenseQuery } from '@tanstack/react-query'
import { productQuery } from '../parts/product.api.ts'
import { TitlesSection } from './titles-section.tsx'

export function ListingTab({ productId }: { productId: string }) {
  const { data: product } = useSuspenseQuery(productQuery(productId))
  return <TitlesSection product={product} />
}
