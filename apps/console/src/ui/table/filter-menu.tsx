import { useLingui } from '@lingui/react/macro'
import { Plus, X } from 'lucide-react'
import { PopoverMenu } from '../menu/popover-menu.tsx'
import { CheckList } from '../text/check-list.tsx'
import styles from './filter-bar.module.css'

interface FilterMenuProps {
  label: string
  options: readonly { value: string; label: string }[]
  selected: readonly string[]
  onChange: (selected: string[]) => void
  isSingle?: boolean | undefined
}

/** A filter: a button that adds it, and a chip with its values once it is active. */
export function FilterMenu({ label, options, selected, onChange, isSingle }: FilterMenuProps) {
  const { t } = useLingui()
  const names = options.filter(({ value }) => selected.includes(value)).map((each) => each.label)
  const isOn = names.length > 0
  return (
    <span className={styles.chip} data-on={isOn || undefined}>
      <PopoverMenu
        className={styles.open ?? ''}
        hasChevron={isOn}
        label={
          isOn ? (
            <span>
              {label}: <strong>{names.length > 2 ? names.length : names.join(', ')}</strong>
            </span>
          ) : (
            <>
              <Plus size={14} aria-hidden />
              {label}
            </>
          )
        }
      >
        <CheckList
          label={label}
          options={options}
          selected={selected}
          onChange={onChange}
          isSingle={isSingle ?? false}
        />
      </PopoverMenu>
      {isOn && (
        <button
          type="button"
          className={styles.remove}
          aria-label={t`Remove the filter “${label}”`}
          onClick={(event) => {
            // This button disappears with the filter; the focus stays in its place.
            event.currentTarget.parentElement?.querySelector('button')?.focus()
            onChange([])
          }}
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </span>
  )
}
