import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { ShareDialog } from '../../parts/share/share-button.tsx'

/** Shows where people find a version that has just gone live. */
export function useReleaseDialog() {
  const { t } = useLingui()
  const [released, setReleased] = useState<ProductVersion>()
  const number = released?.version
  return {
    onRelease: setReleased,
    dialog: released && (
      <ShareDialog
        productId={released.productId}
        title={t`Version ${number} is live`}
        onClose={() => setReleased(undefined)}
      />
    ),
  }
}
