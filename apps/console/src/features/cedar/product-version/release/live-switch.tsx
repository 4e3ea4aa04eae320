import { useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { EyeOff } from 'lucide-react'
import { DangerAction } from '../../parts/danger-zone.tsx'
import { isKnown } from '../../parts/is-known.ts'
import { productQuery } from '../../parts/product.api.ts'
import { versionQuery } from '../product-version.api.ts'
import { useVersionActions } from './use-version-actions.tsx'

/** Removes an app from the catalogue by unpublishing its live version. */
export function LiveSwitch({ productId }: { productId: string }) {
  const { t } = useLingui()
  const { data: product } = useSuspenseQuery(productQuery(productId))
  const live = product.liveVersion
  const { data: version } = useQuery({
    ...versionQuery(live?.productVersionId ?? ''),
    enabled: !!live,
  })
  const { disable, isPending } = useVersionActions(live)
  return (
    <DangerAction
      icon={EyeOff}
      text={t`Hiding the app unpublishes its live version: the catalogue no longer shows it. You can publish a version again at any time.`}
      label={t`Hide the app…`}
      reason={
        live
          ? isPending || !version
            ? t`One moment…`
            : undefined
          : isKnown(live)
            ? t`No version is live.`
            : t`The service does not say which version is live.`
      }
      onAct={() => version && void disable(version)}
    />
  )
}
