import { useLingui } from '@lingui/react/macro'
import { CheckList } from '../text/check-list.tsx'
import { PopoverMenu } from '../menu/popover-menu.tsx'

interface FilterMenuProps {
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  onChange: (selected: string[]) => void
}

/** A filter over several values; none ticked means any. */
export function FilterMenu({ label, options, selected, onChange }: FilterMenuProps) {
  const { t } = useLingui()
  const [first] = options.filter(({ value }) => selected.includes(value))
  const summary =
    first === undefined ? t`any` : selected.length === 1 ? first.label : String(selected.length)
  return (
    <PopoverMenu
      label={
        <span>
          {label}: <strong>{summary}</strong>
        </span>
      }
    >
      <CheckList label={label} options={options} selected={selected} onChange={onChange} />
    </PopoverMenu>
  )
}
