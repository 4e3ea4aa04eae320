import {
  formatConditions,
  isAttributeKey,
  maxTerms,
  parseConditions,
  placeOf,
  type AttributeCondition,
} from '@grove/contract/maple/fleet/device.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useId, useRef } from 'react'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { ServiceChoice } from '../../../base/service-choice.tsx'
import { GroupField } from '../../group-field.tsx'
import { searchGroups } from '../../group.api.ts'
import { labelsQuery, type DeviceScope } from '../device.api.ts'
import { tagsOf } from '../form/label-values.ts'
import styles from './label-filter.module.css'
import { TagSuggestions } from './tag-suggestions.tsx'

export interface LabelFilterValues {
  tag?: string[] | undefined
  attribute?: string[] | undefined
  serviceId?: string[] | undefined
  groupId?: string[] | undefined
}

interface LabelFilterProps {
  scope: DeviceScope
  filter: LabelFilterValues
  onFilter: (filter: LabelFilterValues) => void
  onClose: () => void
}

interface Row extends AttributeCondition {
  row: string
}

interface Values {
  tags: string
  serviceId: string
  groupId: string
  rows: Row[]
}

const newRow = (): Row => ({ row: crypto.randomUUID(), key: '', operator: '=', value: '' })

/** Filters by tag, service provider, group and attribute. */
export function LabelFilter({ scope, filter, onFilter, onClose }: LabelFilterProps) {
  const { t } = useLingui()
  const keysId = useId()
  const tagsInput = useRef<HTMLInputElement>(null)
  const { data: keys } = useQuery(labelsQuery('attribute'))
  const conditions = (filter.attribute ?? []).flatMap((text) => parseConditions(text) ?? [])
  const form = useForm<Values>({
    values: {
      tags: (filter.tag ?? []).join(', '),
      serviceId: filter.serviceId?.[0] ?? '',
      groupId: filter.groupId?.[0] ?? '',
      rows: conditions.map((condition, index) => ({ row: `${index}`, ...condition })),
    },
    check: ({ tags, rows }) => ({
      ...(tagsOf(tags).length + rows.length > maxTerms && {
        tags: t`A filter can have at most ${maxTerms} tags and conditions together.`,
      }),
      ...Object.fromEntries(
        rows.flatMap(({ key, operator, value }, index) => [
          [
            `rows.${index}.key`,
            isAttributeKey(key.trim())
              ? undefined
              : t`Start with a lower-case letter; then lower-case letters, digits and _ only.`,
          ],
          [
            `rows.${index}.value`,
            value.trim() === ''
              ? t`Enter a value.`
              : operator !== '=' && placeOf(value.trim()) === undefined
                ? t`Enter a number, or a day such as 2026-03-01.`
                : undefined,
          ],
        ]),
      ),
    }),
    submit: async ({ tags, serviceId, groupId, rows }) => {
      const tag = tagsOf(tags)
      const attribute = rows.map(({ key, operator, value }) =>
        formatConditions([{ key: key.trim(), operator, value: value.trim() }]),
      )
      onFilter({
        tag: tag.length > 0 ? tag : undefined,
        attribute: attribute.length > 0 ? attribute : undefined,
        serviceId: serviceId === '' ? undefined : [serviceId],
        groupId: groupId === '' ? undefined : [groupId],
      })
    },
    onSaved: onClose,
    isOnce: true,
  })
  const { values, errors } = form
  const change = (row: string, next: Partial<Row>) =>
    form.set((now) => ({
      rows: now.rows.map((each) => (each.row === row ? { ...each, ...next } : each)),
    }))
  return (
    <FormDialog
      title={t`Filter by tags and attributes`}
      form={form}
      submitLabel={t`Filter`}
      onClose={onClose}
    >
      <Field
        label={t`Tags`}
        hint={t`Separated by commas. Devices must have all of them.`}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the first field of a dialog
        autoFocus
        {...codeField}
        ref={tagsInput}
        {...form.input('tags')}
      />
      <TagSuggestions
        text={values.tags}
        onChange={(tags) => {
          form.set({ tags })
          // The suggestion that had the focus is removed.
          tagsInput.current?.focus()
        }}
      />
      {scope === 'all' && (
        <ServiceChoice
          label={t`Service provider`}
          value={values.serviceId}
          error={undefined}
          onChange={(serviceId) => form.set({ serviceId })}
        />
      )}
      <GroupField
        label={t`Group`}
        value={values.groupId}
        options={searchGroups}
        placeholder={t`None`}
        onChange={(groupId) => form.set({ groupId })}
      />
      <fieldset className="choice">
        <legend>{t`Attributes`}</legend>
        <datalist id={keysId}>
          {keys?.items.map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </datalist>
        {values.rows.map(({ row, key, operator, value }, index) => {
          const error = errors[`rows.${index}.key`] ?? errors[`rows.${index}.value`]
          return (
            <div key={row} className={styles.row}>
              <input
                className="input mono"
                aria-label={t`Key`}
                placeholder="floor"
                list={keysId}
                {...codeField}
                value={key}
                aria-invalid={errors[`rows.${index}.key`] ? true : undefined}
                onChange={({ target }) => change(row, { key: target.value })}
              />
              <select
                className="select"
                aria-label={t`Comparison`}
                value={operator}
                onChange={({ target }) =>
                  change(row, { operator: target.value as Row['operator'] })
                }
              >
                <option value="=">{t`is`}</option>
                <option value=">=">{t`is at least`}</option>
                <option value="<=">{t`is at most`}</option>
              </select>
              <input
                className="input"
                aria-label={t`Value`}
                {...codeField}
                value={value}
                aria-invalid={errors[`rows.${index}.value`] ? true : undefined}
                onChange={({ target }) => change(row, { value: target.value })}
              />
              <button
                type="button"
                className="button quiet icon"
                {...iconName(t`Remove this condition`)}
                onClick={() =>
                  form.set((now) => ({ rows: now.rows.filter((each) => each.row !== row) }))
                }
              >
                <Trash2 size={16} />
              </button>
              {error && <span className={`field-error ${styles.note}`}>{error}</span>}
            </div>
          )
        })}
        <button
          type="button"
          className={`button ${styles.add}`}
          onClick={() => form.set((now) => ({ rows: [...now.rows, newRow()] }))}
        >
          <Plus size={16} aria-hidden />
          <Trans>Add a condition</Trans>
        </button>
      </fieldset>
    </FormDialog>
  )
}
