import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import { blockerOf } from './steps.ts'
import { useVersionActions } from './use-version-actions.tsx'

interface SwitchButtonProps {
  version: ProductVersion
  live: Product['liveVersion']
  className: string
  /** Called when a version goes live for the first time. */
  onRelease: (version: ProductVersion) => void
  /** Includes the version number, where there are several such buttons. */
  isNamed?: boolean
}

/** Publishes or unpublishes a version; with the confirmation that follows, two clicks. */
export function SwitchButton(props: SwitchButtonProps) {
  const { version, live, className, onRelease, isNamed = false } = props
  const { t, i18n } = useLingui()
  const { enable, disable, isPending } = useVersionActions(live, onRelease)
  const { version: number, enabled, state } = version
  const blocker = enabled ? undefined : blockerOf(version)
  const reason = blocker && i18n._(blocker)
  const label = enabled ? t`Unpublish…` : state === 'previous' ? t`Roll back…` : t`Publish…`
  const isBlocked = isPending || reason !== undefined
  return (
    <button
      type="button"
      className={className}
      aria-disabled={isBlocked}
      aria-label={isNamed ? `${label} ${number}` : undefined}
      {...tooltip(reason)}
      onClick={() => !isBlocked && void (enabled ? disable(version) : enable(version))}
    >
      {label}
    </button>
  )
}
