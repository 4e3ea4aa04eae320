import { useLingui } from '@lingui/react/macro'
import { Cpu } from 'lucide-react'
import { Link } from '../../../ui/link/link.tsx'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import styles from './overview.module.css'

/** Where to begin on a new platform. */
export function FirstSteps() {
  const { t } = useLingui()
  return (
    <EmptyState
      icon={Cpu}
      title={t`Nothing here yet`}
      text={t`Maple manages devices, their secure elements, and the accounts that may work with them. Counts appear here as soon as there is something to count.`}
      action={
        <p className={styles.steps}>
          <Link to="/dashboard/maple/devices" search={{ create: true }} className="button primary">
            {t`New device`}
          </Link>
          <Link to="/dashboard/maple/imports" search={{ create: true }} className="button">
            {t`Import devices`}
          </Link>
          <Link to="/dashboard/maple/accounts" search={{ create: true }} className="button">
            {t`New account`}
          </Link>
        </p>
      }
    />
  )
}
