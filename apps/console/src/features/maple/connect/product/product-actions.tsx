import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Archive, Rocket, Trash2 } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { products } from './product.api.ts'

/** Moves a product through its life cycle, and deletes it. */
export function ProductActions({ product }: { product: MapleProduct }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const navigate = useNavigate()
  const { id, name, state, revision, rights } = product
  const params = { id }
  const move = (to: 'production' | 'endOfLife') =>
    api.maple.post('/api/maple/products/{id}/state', {
      params,
      ifMatch: revision,
      body: { state: to },
    })
  const produce = () =>
    confirmed({
      question: {
        title: t`Move “${name}” to production?`,
        text: t`From now on its devices get only released images.`,
        action: t`Move to production`,
      },
      change: () => move('production'),
      done: () => t`The product is in production.`,
      refresh: products.refresh,
    })
  const end = () =>
    confirmed({
      question: {
        title: t`End the life of “${name}”?`,
        text: t`Its claim codes can no longer be used. Existing devices keep working and can be updated.`,
        action: t`Move to end of life`,
        isDanger: true,
      },
      change: () => move('endOfLife'),
      done: () => t`The product is at its end of life.`,
      refresh: products.refresh,
    })
  const remove = () =>
    confirmed({
      question: {
        title: t`Delete “${name}”?`,
        text: t`Its claim codes are deleted with it. A product with devices cannot be deleted.`,
        action: t`Delete the product`,
        isDanger: true,
      },
      change: () => api.maple.delete('/api/maple/products/{id}', { params, ifMatch: revision }),
      done: () => t`The product is deleted.`,
      onDone: () => void navigate({ to: '/dashboard/maple/products' }),
      refresh: products.refresh,
    })
  const refusal =
    rights.production === 'binary_image_closed' ? t`Its default image is not released.` : undefined
  return (
    <div className="actions">
      {state !== 'production' && (
        <PanelAction
          icon={Rocket}
          label={state === 'endOfLife' ? t`Back to production…` : t`To production…`}
          refusal={refusal}
          onAct={() => void produce()}
        />
      )}
      {rights.endOfLife === null && (
        <PanelAction icon={Archive} label={t`End of life…`} onAct={() => void end()} />
      )}
      <PanelAction icon={Trash2} label={t`Delete…`} onAct={() => void remove()} />
    </div>
  )
}
