import { deviceLookLimit, deviceSearchLimit } from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import styles from './look-notice.module.css'

/** A page that did not look at every device: the next page continues, or the search found too many. */
export function LookNotice({ continues }: { continues: boolean }) {
  const { i18n } = useLingui()
  const limit = i18n.number(continues ? deviceLookLimit : deviceSearchLimit)
  return (
    <output className={styles.notice}>
      <TriangleAlert size={14} aria-hidden />
      {continues ? (
        <Trans>Looked through {limit} devices for this page: the next page continues</Trans>
      ) : (
        <Trans>First {limit} matches only: type more to narrow it down</Trans>
      )}
    </output>
  )
}
