import { Outlet, useLocation } from '@tanstack/react-router'
import { useState } from 'react'
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
  // The page on which the drawer was opened: it closes by itself on the next one.
  const [openedOn, setOpenedOn] = useState<string>()
  return (
    <div className={styles.shell} data-service={placeOf(pathname).group?.service}>
      <Sidebar isOpen={openedOn === pathname} onClose={() => setOpenedOn(undefined)} />
      <div className={styles.content}>
        <Header onOpenMenu={() => setOpenedOn(pathname)} />
        <main id={mainId} tabIndex={-1} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <ConfirmHost />
      <NotificationHost />
    </div>
  )
}
