import { useLingui } from '@lingui/react/macro'
import { Columns3 } from 'lucide-react'
import { CheckList } from '../text/check-list.tsx'
import { PopoverMenu } from '../menu/popover-menu.tsx'
import type { DataColumn } from './types.ts'

interface ColumnMenuProps<Row> {
  columns: readonly DataColumn<Row>[]
  hidden: readonly string[]
  onChange: (hidden: string[] | undefined) => void
}

/** Which columns are shown. */
export function ColumnMenu<Row>({ columns, hidden, onChange }: ColumnMenuProps<Row>) {
  const { t } = useLingui()
  const options = columns
    .filter(({ isPrimary }) => !isPrimary)
    .map(({ id, header }) => ({ value: id, label: header }))
  const shown = options.map(({ value }) => value).filter((id) => !hidden.includes(id))
  const choose = (selected: string[]) => {
    const hide = options.map(({ value }) => value).filter((id) => !selected.includes(id))
    onChange(hide.length > 0 ? hide : undefined)
  }
  return (
    <PopoverMenu
      label={
        <>
          <Columns3 size={16} aria-hidden />
          {t`Columns`}
        </>
      }
    >
      <CheckList label={t`Columns`} options={options} selected={shown} onChange={choose} />
    </PopoverMenu>
  )
}
