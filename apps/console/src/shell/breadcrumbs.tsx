import { useLingui } from '@lingui/react/macro'
import { useLocation, useRouteContext, useRouterState } from '@tanstack/react-router'
import { Link } from '../ui/link/link.tsx'
import { usePageNames } from '../ui/page/page-title.ts'
import styles from './breadcrumbs.module.css'
import { isFor, placeOf } from './navigation.ts'

/** Group, menu item, the pages above this one, and this page. Only what the viewer may open is a link. */
export function Breadcrumbs() {
  const { i18n, t } = useLingui()
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { group, item } = placeOf(pathname)
  const names = usePageNames()
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  const isItemPage = item?.to === pathname.replace(/\/$/, '')
  const firstItem = group?.items.find((each) => isFor(viewer, each))
  const current = isItemPage ? i18n._(item.label) : (names?.crumb ?? names?.title)
  return (
    <nav aria-label={t`Breadcrumbs`} className={styles.breadcrumbs}>
      <ol>
        {group && !(isItemPage && item.to === group.path) && (
          <li>
            {firstItem ? (
              <Link to={firstItem.to} prefetch="hover">
                {i18n._(group.label)}
              </Link>
            ) : (
              i18n._(group.label)
            )}
          </li>
        )}
        {item && !isItemPage && (
          <li>
            {isFor(viewer, item) ? (
              <Link to={item.to} className="first-capital" prefetch="hover">
                {i18n._(item.label)}
              </Link>
            ) : (
              <span className="first-capital">{i18n._(item.label)}</span>
            )}
          </li>
        )}
        {names?.parents?.map(({ title, href }) => (
          <li key={href} className={styles.parent}>
            <Link to={href} prefetch="hover">
              <bdi>{title}</bdi>
            </Link>
          </li>
        ))}
        {current ? (
          <li aria-current="page" className={styles.current}>
            <bdi className={isItemPage ? 'first-capital' : undefined}>{current}</bdi>
          </li>
        ) : (
          isLoading && (
            <li className={styles.current}>
              <span className={`skeleton ${styles.loading}`} />
            </li>
          )
        )}
      </ol>
    </nav>
  )
}
