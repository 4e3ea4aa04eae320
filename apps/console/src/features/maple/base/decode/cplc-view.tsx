import { Trans } from '@lingui/react/macro'
import { derivedFrom } from '@grove/secure-element/derived-id'
import { CplcMap } from './cplc-map.tsx'
import { CplcTable } from './cplc-table.tsx'
import styles from './cplc-view.module.css'

/** A CPLC as a map of its bytes, with all fields in a table below. */
export function CplcView({ cplc }: { cplc: string }) {
  // A derived ID has no production fields to draw.
  if (derivedFrom(cplc)) return <CplcTable cplc={cplc} />
  return (
    <div className={styles.view}>
      <CplcMap cplc={cplc} />
      <details>
        <summary>
          <Trans>All fields</Trans>
        </summary>
        <CplcTable cplc={cplc} />
      </details>
    </div>
  )
}
