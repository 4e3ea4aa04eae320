import type { ReactNode } from 'react'
import styles from './small-table.module.css'

export interface SmallColumn<Row> {
  header: string
  /** What an abbreviated header stands for. */
  longHeader?: string
  cell: (row: Row) => ReactNode
  /** Its header is read out, but not shown. */
  hasActions?: boolean
}

interface SmallTableProps<Row> {
  label: string
  rows: readonly Row[]
  rowId: (row: Row, index: number) => string | number
  /** The first one names the row. */
  columns: readonly SmallColumn<Row>[]
}

/** All of a few rows. Where there is little room each is a block, with the names of its columns. */
export const SmallTable = <Row,>({ label, rows, rowId, columns }: SmallTableProps<Row>) => (
  <div className={styles.small}>
    <table aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ header, longHeader, hasActions }) => (
            <th key={header} scope="col">
              {hasActions ? (
                <span className="visually-hidden">{header}</span>
              ) : longHeader ? (
                <abbr title={longHeader}>{header}</abbr>
              ) : (
                header
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={rowId(row, index)}>
            {columns.map(({ header, cell, hasActions }, at) =>
              at === 0 ? (
                <th key={header} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={header} data-label={hasActions ? undefined : header}>
                  {hasActions ? <div className={styles.actions}>{cell(row)}</div> : cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
