import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useLingui } from '@lingui/react/macro'
import { Logo } from './logo.tsx'
import { Preferences } from '../preferences/preferences.tsx'
import { mainId } from './route-announcer.tsx'
import styles from './visitor-page.module.css'

/** The frame of pages that need no sign-in. */
export function VisitorPage({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <Logo /> Grove
        </Link>
        <div className={styles.tools}>
          <Link to="/docs">{t`Help`}</Link>
          <Preferences />
        </div>
      </header>
      <main id={mainId} tabIndex={-1} className={styles.main}>
        {children}
      </main>
    </div>
  )
}
