import type { ColumnMapping, DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { attributeTypes, isAttributeKey } from '@grove/contract/maple/fleet/device.rules'
import {
  importFields,
  isRepeatable,
  type ExistingChoice,
  type ImportField,
} from '@grove/contract/maple/fleet/device-import.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useId, useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { imports } from './device-import.api.ts'
import { useImportWords } from './device-import.labels.tsx'
import styles from './device-import.module.css'
import { ImportPreviewTable } from './import-preview.tsx'

interface MappingFormProps {
  item: DeviceImport
  onChecking: () => void
}

/** The target of each column, a preview of the first rows as devices, and the start of the dry run. */
export function MappingForm({ item, onChecking }: MappingFormProps) {
  const { t, i18n } = useLingui()
  const [mapping, setMapping] = useState(item.mapping)
  const [existing, setExisting] = useState(item.existing)
  const [failure, setFailure] = useState('')
  const [isSending, setSending] = useState(false)
  const problem = useMappingProblem()(mapping)

  const change = (column: number, next: ColumnMapping | undefined) =>
    setMapping((before) =>
      [...before.filter((each) => each.column !== column), ...(next ? [next] : [])].toSorted(
        (a, b) => a.column - b.column,
      ),
    )
  const check = async () => {
    if (isSending || problem) return setFailure(problem ?? '')
    setSending(true)
    setFailure('')
    try {
      const body = { id: item.id, mapping, existing }
      void imports.refresh(await api.maple.post('/api/maple/device/import/check', { body }))
      onChecking()
    } catch (error) {
      setFailure(problemText(error, i18n))
      setSending(false)
    }
  }
  const choices: Record<ExistingChoice, string> = {
    keep: t`Leave unchanged`,
    update: t`Update it from the row`,
  }
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        void check()
      }}
    >
      <section className={styles.mapping} aria-label={t`Columns`}>
        <h3>
          <Trans>Columns</Trans>
        </h3>
        {item.columns.map(({ name, samples }, column) => (
          <ColumnChoice
            // oxlint-disable-next-line react/no-array-index-key -- two columns may have the same name
            key={column}
            name={name || t`Column ${column + 1}`}
            samples={samples}
            column={column}
            mapped={mapping.find((each) => each.column === column)}
            onChange={change}
          />
        ))}
      </section>
      <fieldset className="choice">
        <legend>
          <Trans>Existing devices</Trans>
        </legend>
        {(Object.keys(choices) as ExistingChoice[]).map((choice) => (
          <label key={choice}>
            <input
              type="radio"
              name="existing"
              checked={existing === choice}
              onChange={() => setExisting(choice)}
            />
            <span>{choices[choice]}</span>
          </label>
        ))}
      </fieldset>
      {problem === undefined && <ImportPreviewTable id={item.id} mapping={mapping} />}
      <div role="alert">{failure && <p className={styles.failure}>{failure}</p>}</div>
      <p>
        <button type="submit" className="button primary" aria-disabled={isSending}>
          <Trans>Check every row</Trans>
        </button>
      </p>
    </form>
  )
}

function useMappingProblem() {
  const { t } = useLingui()
  return (mapping: readonly ColumnMapping[]): string | undefined => {
    if (!mapping.some(({ field }) => field === 'id')) return t`Choose the ID column.`
    const names = mapping.map(({ column, field, key }) =>
      isRepeatable(field) ? `${field} ${key ?? column}` : field,
    )
    if (new Set(names).size < names.length) return t`Two columns are imported as the same field.`
    if (mapping.some(({ field, key }) => field === 'attribute' && !isAttributeKey(key ?? '')))
      return t`The key of an attribute consists of lower-case letters, digits and underscores.`
    return undefined
  }
}

interface ColumnChoiceProps {
  name: string
  samples: readonly string[]
  column: number
  mapped: ColumnMapping | undefined
  onChange: (column: number, next: ColumnMapping | undefined) => void
}

function ColumnChoice({ name, samples, column, mapped, onChange }: ColumnChoiceProps) {
  const { t } = useLingui()
  const id = useId()
  const { fields } = useImportWords()
  const choose = (field: ImportField | '') => {
    const key = name.toLowerCase().replaceAll(/[^a-z\d]+/g, '_')
    if (field === '') onChange(column, undefined)
    else onChange(column, { column, field, ...(field === 'attribute' && { key, type: 'text' }) })
  }
  return (
    <div className={styles.column}>
      <label htmlFor={id}>
        <bdi>{name}</bdi>
        <small className="muted">{samples.join(' · ')}</small>
      </label>
      <div>
        <select
          id={id}
          className="select"
          value={mapped?.field ?? ''}
          onChange={({ target }) => choose(target.value as ImportField | '')}
        >
          <option value="">{t`Leave out`}</option>
          {importFields.map((field) => (
            <option key={field} value={field}>
              {fields[field]}
            </option>
          ))}
        </select>
        {mapped?.field === 'attribute' && (
          <>
            <input
              className="input"
              aria-label={t`Key of the attribute from ${name}`}
              value={mapped.key ?? ''}
              onChange={({ target }) => onChange(column, { ...mapped, key: target.value })}
            />
            <AttributeType name={name} mapped={mapped} onChange={onChange} />
          </>
        )}
      </div>
    </div>
  )
}

function AttributeType({
  name,
  mapped,
  onChange,
}: Pick<ColumnChoiceProps, 'name' | 'onChange'> & { mapped: ColumnMapping }) {
  const { t } = useLingui()
  const words = {
    text: t({ message: 'Text', context: 'a type of attribute' }),
    number: t({ message: 'Number', context: 'a type of attribute' }),
    boolean: t({ message: 'Yes or no', context: 'a type of attribute' }),
    date: t({ message: 'Day', context: 'a type of attribute' }),
  }
  return (
    <select
      className="select"
      aria-label={t`Type of the attribute from ${name}`}
      value={mapped.type ?? 'text'}
      onChange={({ target }) => {
        const type = attributeTypes.find((each) => each === target.value) ?? 'text'
        onChange(mapped.column, { ...mapped, type })
      }}
    >
      {attributeTypes.map((type) => (
        <option key={type} value={type}>
          {words[type]}
        </option>
      ))}
    </select>
  )
}
