import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { PageHeader } from '../../ui/page/page-header.tsx'
import styles from './home.module.css'
import { Needs } from './needs.tsx'

interface HomeProps {
  /** Whether the viewer works with Maple: an administrator, or a developer with a working stage. */
  hasMaple: boolean
  isAdmin: boolean
  /** The first steps of a new developer. */
  steps: ReactNode
  recent: ReactNode
}

/** What needs the viewer's attention, the next step, and recent activity. */
export function Home({ hasMaple, isAdmin, steps, recent }: HomeProps) {
  const { t } = useLingui()
  return (
    <>
      <PageHeader
        title={t({ message: 'Home', context: 'the first page' })}
        description={t`What needs your attention, and what changed last.`}
      />
      <div className={styles.page}>
        {steps}
        <Needs hasMaple={hasMaple} isAdmin={isAdmin} />
        {recent}
      </div>
    </>
  )
}
