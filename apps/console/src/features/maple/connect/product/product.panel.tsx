import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { products } from './product.api.ts'
import { ProductFacts } from './product-facts.tsx'
import { EditProduct } from './product.form.tsx'

/** A summary of one product, with a link to its page. */
export function ProductPanel(panel: OpenItem) {
  const { t } = useLingui()
  return (
    <ItemPanel
      {...panel}
      query={products.one(panel.id)}
      title={({ name }) => name}
      missing={t`There is no product with this ID.`}
      renderActions={({ id }) => (
        <Link to="/dashboard/maple/products/$id" params={{ id }} className="button primary">
          <Trans>Open</Trans>
        </Link>
      )}
      renderForm={(product, onEnd) => (
        <EditProduct key={product.id} product={product} onEnd={onEnd} />
      )}
    >
      {(product) => <ProductFacts product={product} />}
    </ItemPanel>
  )
}
