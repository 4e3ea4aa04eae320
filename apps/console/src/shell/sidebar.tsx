import { useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { ChevronRight, LogOut } from 'lucide-react'
import { Logo } from '../ui/page/logo.tsx'
import { SignOutButton } from '../session/sign-out-button.tsx'
import { stage } from '../session/stage.ts'
import { useWorkingProvider } from '../session/working-provider.ts'
import { onDemand, usePrefetch } from '../ui/kit/on-demand.tsx'
import { Link } from '../ui/link/link.tsx'
import { mayLoseChanges } from '../ui/form/unsaved-changes.ts'
import { fold, isFolded } from './folded-groups.ts'
import { navigationFor } from './navigation.ts'
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
  // The menu follows it.
  useWorkingProvider(viewer.userId)
  return (
    <>
      <Link to="/dashboard" className={styles.brand} preload={false} prefetch="hover">
        <Logo /> Grove
      </Link>
      <nav className={styles.nav} aria-label={t`Main menu`}>
        {navigationFor(viewer).map(({ service, path, label, items }) => (
          <details
            key={service}
            className={styles.group}
            data-service={service}
            open={!isFolded(service)}
            onToggle={(event) => fold(service, !event.currentTarget.open)}
          >
            <summary className={styles.groupLabel}>
              <ChevronRight size={14} aria-hidden />
              {i18n._(label)}
            </summary>
            <ul>
              {items.map(({ to, icon: Icon, label: name }) => (
                <li key={to}>
                  <Link
                    to={to}
                    className={styles.item}
                    // The page of the group itself has the others below its path.
                    activeOptions={{ includeSearch: false, exact: to === path }}
                  >
                    <Icon size={16} aria-hidden />
                    <span className="first-capital">{i18n._(name)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </details>
        ))}
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
