import { useLingui } from '@lingui/react/macro'
import { Circle, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './first-steps.module.css'

interface FirstStepsProps {
  title: string
  steps: readonly string[]
  /** The number of completed steps. */
  progress: number
  /** The link to the next step. */
  next: ReactNode
  /** Shown beside the steps. */
  action?: ReactNode
}

/** The steps to a first result. */
export function FirstSteps({ title, steps, progress, next, action }: FirstStepsProps) {
  const { t } = useLingui()
  return (
    <section className={styles.card} aria-label={title}>
      <h2>{title}</h2>
      <ol className={styles.steps}>
        {steps.map((name, index) => (
          <li key={name} data-done={index < progress || undefined}>
            {index < progress ? (
              <CircleCheck size={16} aria-label={t`Done`} />
            ) : (
              <Circle size={16} aria-label={t`To do`} />
            )}
            {index === progress ? next : name}
          </li>
        ))}
      </ol>
      {action}
    </section>
  )
}
