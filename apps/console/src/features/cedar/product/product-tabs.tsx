import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { LinkProps } from '@tanstack/react-router'
import { Link } from '../../../ui/link/link.tsx'
import { PageTabs } from '../../../ui/page/page-tabs.tsx'

interface ProductTab {
  to: Extract<LinkProps['to'], `/dashboard/cedar/mobile/$productId${string}`>
  label: MessageDescriptor
}

/** The pages of an app. Version IDs are UUIDs, so none collides with these words. */
export const productTabs = {
  overview: { to: '/dashboard/cedar/mobile/$productId', label: msg`Overview` },
  versions: { to: '/dashboard/cedar/mobile/$productId/versions', label: msg`Versions` },
  listing: { to: '/dashboard/cedar/mobile/$productId/listing', label: msg`Listing` },
  links: { to: '/dashboard/cedar/mobile/$productId/links', label: msg`Links` },
  devices: { to: '/dashboard/cedar/mobile/$productId/devices', label: msg`Devices` },
  activity: { to: '/dashboard/cedar/mobile/$productId/activity', label: msg`Activity` },
} satisfies Record<string, ProductTab>

export function ProductTabs({ productId }: { productId: string }) {
  const { t, i18n } = useLingui()
  return (
    <PageTabs
      label={t`Parts of the app`}
      tabs={Object.values(productTabs).map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ productId }}
          activeOptions={{ exact: true, includeSearch: false }}
          prefetch="none"
        >
          {i18n._(label)}
        </Link>
      ))}
    />
  )
}
