import { maxAttributes, type AttributeType } from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useRef } from 'react'
import { flushSync } from 'react-dom'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { iconName, tooltip } from '../../../../../ui/kit/tooltip.ts'
import { useAttributeWords } from '../attribute.labels.tsx'
import styles from './attributes-field.module.css'
import type { AttributeRow } from './label-values.ts'

interface AttributesFieldProps {
  rows: AttributeRow[]
  onChange: (update: (rows: AttributeRow[]) => AttributeRow[]) => void
  errorOf: (index: number, part: 'key' | 'text') => string | undefined
}

/** Custom facts about a device: a key, a type and a value each. */
export function AttributesField({ rows, onChange, errorOf }: AttributesFieldProps) {
  const { t } = useLingui()
  const list = useRef<HTMLFieldSetElement>(null)
  const isFull = rows.length >= maxAttributes
  const add = () => {
    // Immediately, so that what is typed next lands in the new row.
    flushSync(() =>
      onChange((now) => [...now, { row: crypto.randomUUID(), key: '', type: 'text', text: '' }]),
    )
    list.current?.querySelector<HTMLElement>('li:last-child input')?.focus()
  }
  const remove = (row: string) => {
    onChange((now) => now.filter((each) => each.row !== row))
    list.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  }
  return (
    <fieldset ref={list} className="choice">
      <legend>{t`Attributes`}</legend>
      {rows.length > 0 && (
        <ul className={styles.rows}>
          {rows.map((row, index) => (
            <AttributeLine
              key={row.row}
              row={row}
              keyError={errorOf(index, 'key')}
              textError={errorOf(index, 'text')}
              onChange={(change) =>
                onChange((now) =>
                  now.map((each) => (each.row === row.row ? { ...each, ...change } : each)),
                )
              }
              onRemove={() => remove(row.row)}
            />
          ))}
        </ul>
      )}
      <button
        type="button"
        data-add
        className={`button ${styles.add}`}
        aria-disabled={isFull}
        {...tooltip(isFull ? t`A device can have at most ${maxAttributes} attributes.` : undefined)}
        onClick={() => !isFull && add()}
      >
        <Plus size={16} aria-hidden />
        <Trans>Add an attribute</Trans>
      </button>
    </fieldset>
  )
}

interface AttributeLineProps {
  row: AttributeRow
  keyError: string | undefined
  textError: string | undefined
  onChange: (change: Partial<AttributeRow>) => void
  onRemove: () => void
}

function AttributeLine({ row, keyError, textError, onChange, onRemove }: AttributeLineProps) {
  const { t } = useLingui()
  const words = useAttributeWords()
  const id = useId()
  const error = keyError ?? textError
  return (
    <li className={styles.row}>
      <input
        className="input mono"
        aria-label={t`Key`}
        placeholder="floor"
        {...codeField}
        value={row.key}
        aria-invalid={keyError ? true : undefined}
        aria-describedby={error ? id : undefined}
        onChange={({ target }) => onChange({ key: target.value })}
      />
      <select
        className="select"
        aria-label={t`Type of the value`}
        value={row.type}
        onChange={({ target }) => {
          const type = target.value as AttributeType
          onChange({ type, text: type === 'boolean' ? 'true' : '' })
        }}
      >
        {words.types.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <AttributeInput
        {...row}
        isWrong={textError !== undefined}
        describedBy={error ? id : undefined}
        onText={(text) => onChange({ text })}
      />
      <button
        type="button"
        className="button quiet icon"
        {...iconName(t`Remove this attribute`)}
        onClick={onRemove}
      >
        <Trash2 size={16} />
      </button>
      {error && (
        <span id={id} className={`field-error ${styles.note}`}>
          {error}
        </span>
      )}
    </li>
  )
}

interface AttributeInputProps {
  type: AttributeType
  text: string
  isWrong?: boolean
  describedBy?: string | undefined
  onText: (text: string) => void
}

/** The value of an attribute, in the input for its type. */
export function AttributeInput({ type, text, isWrong, describedBy, onText }: AttributeInputProps) {
  const { t } = useLingui()
  const words = useAttributeWords()
  if (type === 'boolean')
    return (
      <select
        className="select"
        aria-label={t`Value`}
        value={text}
        onChange={({ target }) => onText(target.value)}
      >
        <option value="true">{words.yes}</option>
        <option value="false">{words.no}</option>
      </select>
    )
  return (
    <input
      className="input"
      aria-label={t`Value`}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={type === 'number' ? 'decimal' : undefined}
      autoComplete="off"
      value={text}
      aria-invalid={isWrong ? true : undefined}
      aria-describedby={describedBy}
      onChange={({ target }) => onText(target.value)}
    />
  )
}
