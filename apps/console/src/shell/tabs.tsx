import { useLingui } from '@lingui/react/macro'
import { useLocation, useRouteContext } from '@tanstack/react-router'
import { Link } from '../ui/link/link.tsx'
import { PageTabs } from '../ui/page/page-tabs.tsx'
import { placeOf, tabsFor } from './navigation.ts'

/** The pages beside this one, where the menu has one item for several. */
export function Tabs() {
  const { i18n } = useLingui()
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const tabs = tabsFor(viewer, pathname)
  const { item } = placeOf(pathname)
  if (tabs.length === 0 || !item) return null
  return (
    <PageTabs
      label={i18n._(item.label)}
      tabs={tabs.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ includeSearch: false, exact: true }}
          prefetch="none"
        >
          <span className="first-capital">{i18n._(label)}</span>
        </Link>
      ))}
    />
  )
}
