import { useLingui } from '@lingui/react/macro'
import { Link, useLocation } from '@tanstack/react-router'
import { CircleQuestionMark } from 'lucide-react'
import type { ReactNode } from 'react'
import { iconName } from '../kit/tooltip.ts'
import styles from './help-title.module.css'

/** A page's title, with a “?” beside it that links to the guides about the page. */
export function HelpTitle({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  const from = useLocation({ select: ({ href }) => href })
  return (
    <div className={styles.title}>
      <h1>{children}</h1>
      <Link to="/docs/here" search={{ from }} className={styles.help} {...iconName(t`Help`)}>
        <CircleQuestionMark size={16} />
      </Link>
    </div>
  )
}
