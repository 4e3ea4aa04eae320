import { Trans, useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import { productQuery } from '../parts/product.api.ts'

interface NewVersionButtonProps {
  productId: string
  className: string
  onClick: (change: { create: true }) => void
}

export function NewVersionButton({ productId, className, onClick }: NewVersionButtonProps) {
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const reason = product.rights.createVersion
    ? t`The app has reached its maximum number of versions. Delete one first.`
    : undefined
  return (
    <button
      type="button"
      className={className}
      aria-disabled={reason !== undefined}
      {...tooltip(reason)}
      onClick={() => reason === undefined && onClick({ create: true })}
    >
      <Plus size={16} aria-hidden />
      <Trans>New version</Trans>
    </button>
  )
}
