import { useLingui } from '@lingui/react/macro'
import { readHex } from '@grove/secure-element/bytes'
import { explainCplc } from '@grove/secure-element/explain-cplc'
import { useState } from 'react'
import styles from './cplc-table.module.css'
import { meaningText } from './meaning-text.ts'
import { partLabels } from './part.labels.ts'

/** All fields of a CPLC at once. */
export function CplcTable({ cplc }: { cplc: string }) {
  const { i18n, t } = useLingui()
  const [now] = useState(() => new Date())
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{t`Card production life cycle data`}</caption>
      <thead>
        <tr>
          <th scope="col">{t`Field`}</th>
          <th scope="col">{t`Hex`}</th>
          <th scope="col">{t`Meaning`}</th>
        </tr>
      </thead>
      <tbody>
        {explainCplc(readHex(cplc), now).map(({ name, hex, meaning }) => (
          <tr key={name}>
            <th scope="row">{i18n._(partLabels[name])}</th>
            <td>
              <code>{hex}</code>
            </td>
            <td>{meaning && meaningText(meaning, i18n)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
