import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type ReactElement } from 'react'
import styles from './page-tabs.module.css'

interface PageTabsProps {
  /** Labels the tabs for screen readers. */
  label: string
  /** Links to the pages, each with a key; the active one has `aria-current`. */
  tabs: readonly ReactElement[]
}

/** Pages about one item, each with its own URL. */
export function PageTabs({ label, tabs }: PageTabsProps) {
  const { pathname } = useLocation()
  const list = useRef<HTMLUListElement>(null)
  // If the tabs are wider than the screen.
  useEffect(() => {
    const current = list.current?.querySelector('[aria-current]')
    if (pathname) current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname])
  return (
    <nav aria-label={label} className={styles.tabs}>
      <ul ref={list}>
        {tabs.map((tab) => (
          <li key={tab.key}>{tab}</li>
        ))}
      </ul>
    </nav>
  )
}
