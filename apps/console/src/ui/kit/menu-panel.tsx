import { useLingui } from '@lingui/react'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { Menu, MenuItem, Separator, Text } from 'react-aria-components/Menu'
import type { MenuEntry } from './menu.tsx'
import styles from './option.module.css'

interface MenuPanelProps {
  label: string
  items: readonly MenuEntry[]
  onClose: () => void
}

/** The items of a menu: arrows, Home, End and first letters move between them. */
export function MenuPanel({ label, items, onClose }: MenuPanelProps) {
  const { i18n } = useLingui()
  return (
    <I18nProvider locale={i18n.locale}>
      <Menu
        aria-label={label}
        className={styles.list ?? ''}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- a menu takes the focus when it opens
        autoFocus="first"
        shouldFocusWrap
      >
        {items.map((item, index) =>
          item === 'separator' ? (
            // oxlint-disable-next-line react/no-array-index-key -- a separator has no identity but its place
            <Separator key={index} className={styles.separator ?? ''} />
          ) : (
            <Item key={item.id} item={item} onClose={onClose} />
          ),
        )}
      </Menu>
    </I18nProvider>
  )
}

function Item({ item, onClose }: { item: Exclude<MenuEntry, 'separator'>; onClose: () => void }) {
  const { id, label, icon: Icon, isDanger, disabledReason } = item
  const isDisabled = disabledReason !== undefined
  const select = () => {
    if (isDisabled) return
    // First, so that whatever the action opens can take the focus from the button.
    onClose()
    item.onSelect()
  }
  return (
    <MenuItem
      id={id}
      textValue={label}
      className={`${styles.option} ${isDanger && !isDisabled ? styles.danger : ''}`}
      onAction={select}
      // Not disabled for React Aria, which would keep keyboard users from the reason.
      render={(props) => <div {...(props as object)} aria-disabled={isDisabled || undefined} />}
    >
      {Icon && <Icon size={16} aria-hidden />}
      <span className={styles.text}>
        <Text slot="label" className={styles.label ?? ''}>
          {label}
        </Text>
        {isDisabled && (
          <Text slot="description" className={styles.note ?? ''}>
            {disabledReason}
          </Text>
        )}
      </span>
    </MenuItem>
  )
}
