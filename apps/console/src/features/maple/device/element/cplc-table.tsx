import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import {
  cplcFields,
  fabricatorName,
  typeName,
  type CplcField,
  type CplcFieldName,
  type ProductionDate,
} from '@grove/secure-element/cplc'
import styles from './cplc-table.module.css'

/** The Card Production Life Cycle data of an element, field by field. */
export function CplcTable({ cplc }: { cplc: string }) {
  const { t } = useLingui()
  const labels = useFieldLabels()
  const [now] = useState(() => new Date())
  const fields = cplcFields(cplc, now)
  const hasYears = fields.some(({ date }) => date?.kind === 'date')
  return (
    <>
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
          {fields.map((field) => (
            <tr key={field.name}>
              <th scope="row">{labels[field.name]}</th>
              <td>
                <code>{field.hex}</code>
              </td>
              <td>
                <Meaning field={field} cplc={cplc} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasYears && (
        <p className={styles.note}>
          <Trans>
            The chip stores the day and only the last digit of the year: each date may also be ten
            years earlier.
          </Trans>
        </p>
      )}
    </>
  )
}

function Meaning({ field, cplc }: { field: CplcField; cplc: string }) {
  if (field.date) return <DateMeaning date={field.date} />
  if (field.name === 'icFabricator') return fabricatorName(cplc)
  if (field.name === 'icType') return typeName(cplc)
  if (/^0+$/.test(field.hex)) return <NotSet />
  return null
}

const NotSet = () => (
  <span className="muted">
    <Trans>not set</Trans>
  </span>
)

function DateMeaning({ date }: { date: ProductionDate }) {
  const { i18n } = useLingui()
  if (date.kind === 'none') return <NotSet />
  if (date.kind === 'notADate')
    return (
      <span className="muted">
        <Trans>not a date</Trans>
      </span>
    )
  const [latest, earlier] = date.candidates.map((day) =>
    i18n.date(`${day}T00:00:00Z`, { dateStyle: 'medium', timeZone: 'UTC' }),
  )
  return (
    <>
      <span className={styles.date}>{latest}</span>
      {earlier !== undefined && (
        <span className={`${styles.date} ${styles.earlier}`}>
          <Trans>or {earlier}</Trans>
        </span>
      )}
    </>
  )
}

function useFieldLabels(): Record<CplcFieldName, string> {
  const { t } = useLingui()
  return {
    icFabricator: t`IC fabricator`,
    icType: t`IC type`,
    osId: t`Operating system`,
    osReleaseDate: t`OS release date`,
    osReleaseLevel: t`OS release level`,
    icFabricationDate: t`IC fabrication date`,
    icSerial: t`IC serial number`,
    icBatch: t`IC batch`,
    moduleFabricator: t`Module fabricator`,
    modulePackagingDate: t`Module packaging date`,
    iccManufacturer: t`Card manufacturer`,
    embeddingDate: t`Embedding date`,
    prePersonalizer: t`Pre-personalizer`,
    prePersonalizationDate: t`Pre-personalization date`,
    prePersonalizationEquipment: t`Pre-personalization equipment`,
    personalizer: t`Personalizer`,
    personalizationDate: t`Personalization date`,
    personalizationEquipment: t`Personalization equipment`,
  }
}
