import { useLingui } from '@lingui/react/macro'
import { useId, type CSSProperties, type ReactNode } from 'react'
import styles from './part-bar.module.css'

export interface Part {
  key: string
  name: ReactNode
  value: number
  /** `free`: what is left; `rest`: everything without its own part. */
  kind?: 'free' | 'rest'
}

interface PartBarProps {
  /** Labels the bar and its table. */
  label: string
  /** The heading of the column of names. */
  nameLabel: string
  valueLabel: string
  parts: readonly Part[]
  renderValue: (value: number) => ReactNode
}

/** Parts of a whole as one bar, with the same figures in a table below. */
export function PartBar({ label, nameLabel, valueLabel, parts, renderValue }: PartBarProps) {
  const { t } = useLingui()
  const id = useId()
  const used = parts.filter(({ kind }) => kind === undefined)
  const shade = (part: Part): CSSProperties => ({
    ['--share' as string]: `${100 - Math.round((used.indexOf(part) / Math.max(used.length, 2)) * 70)}%`,
  })
  return (
    <figure className={styles.figure} aria-labelledby={id}>
      <figcaption id={id} className="visually-hidden">
        {label}
      </figcaption>
      {/* The table says the same. */}
      <div className={styles.bar} aria-hidden>
        {parts.map(
          (part) =>
            part.value > 0 && (
              <span
                key={part.key}
                data-kind={part.kind ?? 'used'}
                style={{ flexGrow: part.value, ...shade(part) }}
              />
            ),
        )}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it */}
      <section className={styles.table} tabIndex={0} aria-label={t`${label}: table`}>
        <table>
          <thead className="visually-hidden">
            <tr>
              <th scope="col">{nameLabel}</th>
              <th scope="col">{valueLabel}</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((part) => (
              <tr key={part.key}>
                <th scope="row">
                  <i data-kind={part.kind ?? 'used'} style={shade(part)} aria-hidden />
                  {part.name}
                </th>
                <td>{renderValue(part.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </figure>
  )
}
