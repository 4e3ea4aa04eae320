import { useLingui } from '@lingui/react/macro'
import { useLocation, useRouteContext } from '@tanstack/react-router'
import { ChevronRight, LogOut } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Logo } from '../ui/page/logo.tsx'
import { SignOutButton } from '../session/sign-out-button.tsx'
import { stage } from '../session/stage.ts'
import { useMapleRights } from '../session/maple-rights.ts'
import { useWorkingProvider } from '../session/working-provider.ts'
import { onDemand, usePrefetch } from '../ui/kit/on-demand.tsx'
import { Link } from '../ui/link/link.tsx'
import { mayLoseChanges } from '../ui/form/unsaved-changes.ts'
import { fold, isFolded } from './folded-groups.ts'
import { navigationFor, placeFor, type NavigationItem } from './navigation.ts'
import styles from './sidebar.module.css'
import { UserMenu } from './user-menu.tsx'

interface SidebarProps {
  isOpen: boolean
  onClose: () => void
}

const Drawer = onDemand(() => import('../ui/dialog/dialog.tsx').then((module) => module.Dialog))

/** The side menu: a column on a wide screen, a modal drawer on a narrow one. */
export function Sidebar({ isOpen, onClose }: SidebarProps) {
  const { t } = useLingui()
  usePrefetch(Drawer)
  return (
    <>
      <aside className={styles.column}>
        <SidebarContent />
      </aside>
      {isOpen && (
        <Drawer title={t`Menu`} size="drawer" closeLabel={t`Close the menu`} onClose={onClose}>
          <SidebarContent />
        </Drawer>
      )}
    </>
  )
}

function SidebarContent() {
  const { i18n, t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  // The menu adapts to them.
  useWorkingProvider(viewer.userId)
  useMapleRights(viewer.userId)
  const menu = useRef<HTMLElement>(null)
  const path = useLocation({ select: ({ pathname }) => pathname })
  const current = placeFor(viewer, path).item
  // It is taller than some windows.
  useEffect(() => {
    if (path) menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  return (
    <>
      <Link to="/dashboard" className={styles.brand} preload={false} prefetch="none">
        <Logo /> Grove
      </Link>
      <nav ref={menu} className={styles.nav} aria-label={t`Main menu`}>
        {navigationFor(viewer).map(({ id, service, label, items, isSingle }) =>
          isSingle ? (
            <ul key={id} className={styles.group} data-service={service}>
              <MenuItems items={items} current={current} />
            </ul>
          ) : (
            <details
              key={id}
              className={styles.group}
              data-service={service}
              open={!isFolded(id)}
              onToggle={(event) => fold(id, !event.currentTarget.open)}
            >
              <summary className={styles.groupLabel}>
                <ChevronRight size={14} aria-hidden />
                {i18n._(label)}
              </summary>
              <ul>
                <MenuItems items={items} current={current} />
              </ul>
            </details>
          ),
        )}
      </nav>
      <div className={styles.foot}>
        <UserMenu />
        <SignOutButton
          className={styles.item}
          icon={<LogOut size={16} aria-hidden />}
          mayLeave={mayLoseChanges}
        />
        <div className={styles.stage}>
          <span className="muted">{t`Stage`}</span> {stage.stage}
        </div>
      </div>
    </>
  )
}

interface MenuItemsProps {
  items: readonly NavigationItem[]
  /** The page's path, which may be that of one of its tabs. */
  current: NavigationItem | undefined
}

function MenuItems({ items, current }: MenuItemsProps) {
  const { i18n } = useLingui()
  return items.map(({ to, icon: Icon, label }) => (
    <li key={to}>
      <Link
        to={to}
        className={`${styles.item} ${to === current?.to ? 'active' : ''}`}
        {...(to === current?.to && { 'aria-current': 'page' })}
        activeOptions={{ includeSearch: false, exact: true }}
        prefetch="routes"
      >
        <Icon size={16} aria-hidden />
        <span className="first-capital">{i18n._(label)}</span>
      </Link>
    </li>
  ))
}
