import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'
import { Preferences } from '../preferences/preferences.tsx'
import { mainId } from './route-announcer.tsx'
import styles from './visitor-page.module.css'

/** The frame of the pages that need no sign-in. */
export const VisitorPage = ({ children }: { children: ReactNode }) => (
  <div className={styles.page}>
    <header className={styles.header}>
      <Link to="/" className={styles.brand}>
        <Logo /> Grove
      </Link>
      <Preferences />
    </header>
    <main id={mainId} tabIndex={-1} className={styles.main}>
      {children}
    </main>
  </div>
)
