import { deviceLookLimit, deviceSearchLimit } from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import styles from './look-notice.module.css'

/** A page that did not look at every device: the next page continues, or the search matched too many. */
export function LookNotice({ continues }: { continues: boolean }) {
  const { i18n } = useLingui()
  const limit = i18n.number(continues ? deviceLookLimit : deviceSearchLimit)
  return (
    <output className={styles.notice}>
      <TriangleAlert size={14} aria-hidden />
      {continues ? (
        <Trans>
          {limit} devices were searched for this page; the search continues on the next page
        </Trans>
      ) : (
        <Trans>Only the first {limit} matches: type more to narrow them down</Trans>
      )}
    </output>
  )
}
