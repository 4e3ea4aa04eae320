import { useLingui } from '@lingui/react/macro'
import { useLocation, useRouteContext, useRouterState } from '@tanstack/react-router'
import { Link } from '../ui/link/link.tsx'
import { usePageNames } from '../ui/page/page-title.ts'
import styles from './breadcrumbs.module.css'
import { isFor, placeFor } from './navigation.ts'

/** Group, menu item, the pages above this one, and this page. Only what the viewer may open is a link. */
export function Breadcrumbs() {
  const { i18n, t } = useLingui()
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { group, item, page } = placeFor(viewer, pathname)
  const names = usePageNames()
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' })
  const isPage = page?.to === pathname.replace(/\/$/, '')
  const firstItem = group?.items.find((each) => isFor(viewer, each))
  const current = isPage ? i18n._(page.label) : (names?.crumb ?? names?.title)
  // A group with a single item is represented by that item.
  const isGroupShown = group && !group.isSingle && !(isPage && page.to === group.path)
  const above = [item, page === item ? undefined : page].filter(
    (each) => each && !(isPage && each === page),
  )
  return (
    <nav aria-label={t`Breadcrumbs`} className={styles.breadcrumbs}>
      <ol>
        {isGroupShown && (
          <li>
            {firstItem ? (
              <Link to={firstItem.to} prefetch="none">
                {i18n._(group.label)}
              </Link>
            ) : (
              i18n._(group.label)
            )}
          </li>
        )}
        {above.map(
          (each) =>
            each && (
              <li key={each.to}>
                {isFor(viewer, each) ? (
                  <Link to={each.to} className="first-capital" prefetch="none">
                    {i18n._(each.label)}
                  </Link>
                ) : (
                  <span className="first-capital">{i18n._(each.label)}</span>
                )}
              </li>
            ),
        )}
        {names?.parents?.map(({ title, href }) => (
          <li key={href} className={styles.parent}>
            <Link to={href} prefetch="none">
              <bdi>{title}</bdi>
            </Link>
          </li>
        ))}
        {current ? (
          <li aria-current="page" className={styles.current}>
            <bdi className={isPage ? 'first-capital' : undefined}>{current}</bdi>
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
