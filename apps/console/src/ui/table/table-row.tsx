import { useLingui } from '@lingui/react/macro'
import type { MouseEvent } from 'react'
import styles from './data-table.module.css'
import type { DataColumn } from './types.ts'

interface TableRowProps<Row> {
  row: Row
  columns: readonly DataColumn<Row>[]
  label: string
  tabIndex: number
  onOpen?: ((row: Row) => void) | undefined
  isSelected: boolean
  isOpen: boolean
  onSelect?: ((isSelected: boolean, isRange: boolean) => void) | undefined
}

const controls = 'a, button, input, label, select, summary'

/** A click on a row opens it, unless it met a control or ended the marking of text. */
const opensRow = (event: MouseEvent) =>
  event.target instanceof Element &&
  !event.target.closest(controls) &&
  getSelection()?.isCollapsed !== false

export function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, columns, label, onOpen, isSelected, onSelect } = props
  const { t } = useLingui()
  return (
    // The primary cell holds a link for the same; the click on the rest is a larger target.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys: use-row-keys.ts
    <tr
      tabIndex={props.tabIndex}
      aria-label={label}
      data-selected={isSelected || undefined}
      data-opens={onOpen ? true : undefined}
      aria-current={props.isOpen || undefined}
      onClick={(event) => opensRow(event) && onOpen?.(row)}
    >
      {onSelect && (
        <td className={styles.check}>
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t`Select ${label}`}
              checked={isSelected}
              onChange={({ target, nativeEvent }) =>
                onSelect(target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
              }
            />
          </label>
        </td>
      )}
      {columns.map(({ id, header, align, isPrimary, isSecondary, cell }) => (
        <td
          key={id}
          data-align={align}
          data-label={isPrimary ? undefined : header}
          data-primary={isPrimary}
          data-secondary={isSecondary || undefined}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}
