import { useLingui } from '@lingui/react/macro'
import { useLocation } from '@tanstack/react-router'
import { usePageTitle } from '../ui/page/page-title.ts'
import { Link } from '../ui/link/link.tsx'
import { placeOf } from './navigation.ts'
import styles from './breadcrumbs.module.css'

/** Group, menu item and page, from the route. */
export function Breadcrumbs() {
  const { i18n, t } = useLingui()
  const { pathname } = useLocation()
  const { group, item } = placeOf(pathname)
  const title = usePageTitle()
  const path = pathname.replace(/\/$/, '')
  const isItemPage = item?.to === path
  const groupPage = group?.items.find(({ to }) => to === group.path)
  return (
    <nav aria-label={t`Breadcrumbs`} className={styles.breadcrumbs}>
      <ol>
        {group && group.path !== path && (
          <li>
            {groupPage ? (
              <Link to={groupPage.to} prefetch="hover">
                {i18n._(group.label)}
              </Link>
            ) : (
              i18n._(group.label)
            )}
          </li>
        )}
        {item && !isItemPage && (
          <li>
            <Link to={item.to} className="first-capital" prefetch="hover">
              {i18n._(item.label)}
            </Link>
          </li>
        )}
        <li aria-current="page" className={styles.current}>
          <span className="first-capital">{item && isItemPage ? i18n._(item.label) : title}</span>
        </li>
      </ol>
    </nav>
  )
}
