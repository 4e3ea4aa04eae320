import { Trans } from '@lingui/react/macro'
import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useAfterLoad } from '../ui/page/use-after-load.ts'
import { mainId } from '../ui/page/route-announcer.tsx'
import { ConfirmHost } from '../ui/dialog/confirm.tsx'
import { whenIdle } from '../ui/page/when-idle.ts'
import { DraftOwner, useDropForeignDrafts } from '../ui/form/use-draft.ts'
import { isFor, placeOf } from './navigation.ts'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'
import { isSignedIn } from '../session/session.ts'
import { leaveUnasked } from '../ui/form/unsaved-changes.ts'
import styles from './shell.module.css'
import { ShortcutHelp } from './shortcut-help.tsx'

whenIdle(() => void import('./dashboard-failure.tsx').catch(() => {}))

// A session that has ended must not keep a private page open.
leaveUnasked(() => !isSignedIn())

/** The dashboard's frame: side menu, header and the page between them. */
export function Shell() {
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { group, item } = placeOf(pathname)
  // The page on which the drawer was opened: it closes by itself on the next one.
  const [openedOn, setOpenedOn] = useState<string>()
  useDropForeignDrafts(viewer.userId)
  const isQuiet = useAfterLoad()
  useEffect(() => {
    // The page comes first: the menu of today needs no provider.
    if (isQuiet)
      void import('../session/providers.ts').then(
        ({ setUpProvider }) => setUpProvider(viewer.userId),
        () => {},
      )
  }, [isQuiet, viewer.userId])
  return (
    <div className={styles.shell} data-service={group?.service}>
      <Sidebar isOpen={openedOn === pathname} onClose={() => setOpenedOn(undefined)} />
      <div className={styles.content}>
        <Header onOpenMenu={() => setOpenedOn(pathname)} />
        <main id={mainId} tabIndex={-1} className={styles.main}>
          <DraftOwner value={viewer.userId}>
            {item && !isFor(viewer, item) ? (
              <NotForYourRole />
            ) : (
              // Another tab may sign in someone else: no page keeps what it had of the one before.
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

const NotForYourRole = () => (
  <div className="notice">
    <h1>
      <Trans>This page is for administrators</Trans>
    </h1>
    <p>
      <Trans>Your role does not open it. Choose another page in the menu.</Trans>
    </p>
  </div>
)
