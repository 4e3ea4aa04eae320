import { useLingui } from '@lingui/react/macro'
import { Ellipsis } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import { PopoverMenu } from '../menu/popover-menu.tsx'
import styles from './data-table.module.css'
import type { DataColumn } from './types.ts'

interface TableRowProps<Row> {
  row: Row
  id: string
  columns: readonly DataColumn<Row>[]
  label: string
  /** One row is in the tab order. */
  isCurrent: boolean
  isSelected: boolean
  isOpen: boolean
  canSelect: boolean
  canOpen: boolean
  /** The items of the row's menu. */
  actions: ((row: Row) => ReactNode) | undefined
}

function Cells<Row>(props: TableRowProps<Row>) {
  const { row, columns, label, isCurrent, isSelected, isOpen, actions } = props
  const { t } = useLingui()
  return (
    <tr
      tabIndex={isCurrent ? 0 : -1}
      aria-label={label}
      data-row={props.id}
      data-selected={isSelected || undefined}
      data-opens={props.canOpen || undefined}
      aria-current={isOpen || undefined}
    >
      {props.canSelect && (
        <td className={styles.check}>
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t`Select ${label}`}
              checked={isSelected}
              // The table handles the event: see data-table.tsx.
              onChange={() => {}}
            />
          </label>
        </td>
      )}
      {columns.map(({ id, header, align, isPrimary, isSecondary, phone = 'line', cell }) => (
        <td
          key={id}
          data-label={header}
          data-align={align}
          data-primary={isPrimary}
          data-secondary={isSecondary}
          data-phone={isPrimary ? undefined : phone}
        >
          {cell(row)}
        </td>
      ))}
      {actions && (
        <td className={styles.actions}>
          <PopoverMenu
            isMenu
            hasChevron={false}
            className="button quiet icon small"
            ariaLabel={t`Actions for ${label}`}
            tabIndex={isCurrent ? 0 : -1}
            label={<Ellipsis size={16} aria-hidden />}
          >
            {actions(row)}
          </PopoverMenu>
        </td>
      )}
    </tr>
  )
}

/** Rerendered only when its own row changes: the focus and a selection move through two hundred rows. */
export const TableRow = memo(Cells) as typeof Cells
