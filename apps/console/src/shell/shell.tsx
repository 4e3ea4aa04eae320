import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { mainId } from '../app/route-announcer.tsx'
import { ConfirmHost } from '../components/confirm.tsx'
import { NotificationHost } from '../components/notify.tsx'
import { placeOf } from '../navigation.ts'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'
import styles from './shell.module.css'

/** The dashboard's frame: side menu, header and the page between them. */
export function Shell() {
  const { pathname } = useLocation()
  const [isMenuOpen, setMenuOpen] = useState(false)
  useEffect(() => setMenuOpen(false), [pathname])
  return (
    <div className={styles.shell} data-service={placeOf(pathname).group?.service}>
      <Sidebar isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
      <div className={styles.content}>
        <Header onOpenMenu={() => setMenuOpen(true)} />
        <main id={mainId} tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <ConfirmHost />
      <NotificationHost />
    </div>
  )
}
