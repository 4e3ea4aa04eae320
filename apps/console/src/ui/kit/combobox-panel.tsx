import { useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { Autocomplete } from 'react-aria-components/Autocomplete'
import { I18nProvider } from 'react-aria-components/I18nProvider'
import { ListBox, ListBoxItem, Text } from 'react-aria-components/ListBox'
import { Input, TextField } from 'react-aria-components/TextField'
import { shownOptions, type ComboboxOption, type OptionSource } from './combobox-options.ts'
import styles from './combobox.module.css'
import optionStyles from './option.module.css'
import { useOptions } from './use-options.ts'

interface ComboboxPanelProps {
  label: string
  value: ComboboxOption | null
  options: OptionSource
  isClearable: boolean
  onChange: (option: ComboboxOption | null) => void
  onClose: () => void
}

/** A search field and its results; the focus stays in the field while arrows move through the options. */
export function ComboboxPanel(props: ComboboxPanelProps) {
  const { label, value, isClearable } = props
  const { t, i18n } = useLingui()
  const [query, setQuery] = useState('')
  const { options, isLoading, hasFailed, refetch } = useOptions(props.options, query)
  const shown = options.slice(0, shownOptions)
  const choose = (option: ComboboxOption | null) => {
    props.onClose()
    props.onChange(option)
  }
  const count = options.length
  const status = isLoading ? t`Searching…` : count === 0 ? t`Nothing matches.` : undefined

  return (
    <I18nProvider locale={i18n.locale}>
      <div className={styles.panel}>
        <Autocomplete inputValue={query} onInputChange={setQuery}>
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the reader opened it to search */}
          <TextField aria-label={t`Search`} autoFocus className={styles.search ?? ''}>
            {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role, jsx-a11y/role-has-required-aria-props -- an input, to which React Aria adds aria-controls */}
            <Input className="input" role="combobox" aria-expanded placeholder={t`Search`} />
          </TextField>
          {hasFailed ? (
            <div className={`${styles.message} ${styles.failure}`} role="alert">
              <p>{t`The search failed.`}</p>
              <button type="button" className="button small" onClick={() => void refetch()}>
                {t`Try again`}
              </button>
            </div>
          ) : (
            <ListBox
              aria-label={label}
              aria-busy={isLoading}
              className={`${styles.list} ${optionStyles.list}`}
              items={shown}
              selectionMode="single"
              selectedKeys={value ? [value.id] : []}
              escapeKeyBehavior="none"
              // Choosing the selected option again empties the selection: the choice stays and the
              // panel closes.
              onSelectionChange={(keys) => {
                const [id] = keys === 'all' ? [] : keys
                choose(shown.find((option) => option.id === id) ?? value)
              }}
            >
              {(option) => <Option option={option} />}
            </ListBox>
          )}
        </Autocomplete>
        {!hasFailed && <output className={status ? styles.message : undefined}>{status}</output>}
        {count > shownOptions && (
          <p className={styles.message}>
            {t`${shownOptions} of ${count} shown. Type to narrow the list.`}
          </p>
        )}
        {isClearable && value && (
          <button
            type="button"
            className={`button quiet ${styles.clear}`}
            onClick={() => choose(null)}
          >
            {t`Clear the choice`}
          </button>
        )}
      </div>
    </I18nProvider>
  )
}

function Option({ option: { id, label, note } }: { option: ComboboxOption }) {
  return (
    <ListBoxItem id={id} textValue={label} className={optionStyles.option ?? ''}>
      {({ isSelected }) => (
        <>
          <span className={optionStyles.text}>
            <Text slot="label" className={optionStyles.label ?? ''}>
              <bdi>{label}</bdi>
            </Text>
            {note && (
              <Text slot="description" className={optionStyles.note ?? ''}>
                {note}
              </Text>
            )}
          </span>
          {isSelected && <Check size={16} aria-hidden />}
        </>
      )}
    </ListBoxItem>
  )
}
