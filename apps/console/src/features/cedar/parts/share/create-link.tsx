import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { Link2 } from 'lucide-react'
import { useLink } from './use-link.ts'

/** Creates an app's link. */
export function CreateLink({ product }: { product: Product }) {
  const { t } = useLingui()
  const { mutate, isPending } = useLink(product)
  return (
    <button
      type="button"
      className="button"
      aria-disabled={isPending}
      onClick={() => !isPending && mutate(true)}
    >
      <Link2 size={16} aria-hidden />
      {t`New link`}
    </button>
  )
}
