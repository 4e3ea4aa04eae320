import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAfterLoad } from '../ui/page/use-after-load.ts'
import { mainId } from '../ui/page/route-announcer.tsx'
import { ConfirmHost } from '../ui/dialog/confirm.tsx'
import { whenIdle } from '../ui/page/when-idle.ts'
import { DraftOwner, useDropForeignDrafts } from '../ui/form/use-draft.ts'
import { accessOf, isFor, placeOf } from './navigation.ts'
import { Tabs } from './tabs.tsx'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'
import { onDemand } from '../ui/kit/on-demand.tsx'
import { useWorkingProvider } from '../session/working-provider.ts'
import { useMapleRights } from '../session/maple-rights.ts'
import { isSignedIn } from '../session/session.ts'
import { leaveUnasked } from '../ui/form/unsaved-changes.ts'
import styles from './shell.module.css'
import { ShortcutHelp } from './shortcut-help.tsx'

whenIdle(() => void import('./dashboard-failure.tsx').catch(() => {}))

// A session that has ended must not keep a private page open.
leaveUnasked(() => !isSignedIn())

const ClosedPage = onDemand(() => import('./closed-page.tsx').then((file) => file.ClosedPage))

/** The dashboard's frame: side menu, header and the page between them. */
export function Shell() {
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { group, page } = placeOf(pathname)
  const access = page && accessOf(page, pathname)
  // A stage gives access to pages, and so does a Maple account.
  useWorkingProvider(viewer.userId)
  useMapleRights(viewer.userId)
  // The page on which the drawer was opened: navigating to another closes it.
  const [openedOn, setOpenedOn] = useState<string>()
  useDropForeignDrafts(viewer.userId)
  const isQuiet = useAfterLoad()
  useEffect(() => {
    // The page comes first: today's menu needs no provider.
    if (!isQuiet) return
    void import('../session/providers.ts').then(
      ({ setUpProvider }) => setUpProvider(viewer.userId),
      () => {},
    )
    if (!viewer.isAdmin)
      void import('../session/find-maple-rights.ts').then(
        ({ findMapleRights }) => findMapleRights(viewer.userId),
        () => {},
      )
  }, [isQuiet, viewer.userId, viewer.isAdmin])
  return (
    <div className={styles.shell} data-service={group?.service}>
      <Sidebar isOpen={openedOn === pathname} onClose={() => setOpenedOn(undefined)} />
      <div className={styles.content}>
        <Header onOpenMenu={() => setOpenedOn(pathname)} />
        <main id={mainId} tabIndex={-1} className={styles.main}>
          <Tabs />
          <DraftOwner value={viewer.userId}>
            {access && !isFor(viewer, access) ? (
              <ClosedPage viewer={viewer} needsStage={access.access === 'mapleDeveloper'} />
            ) : (
              // Another tab may sign in someone else: nothing of the previous person stays.
              <Outlet key={viewer.userId} />
            )}
          </DraftOwner>
        </main>
      </div>
      <ConfirmHost />
      <ShortcutHelp />
    </div>
  )
}
