import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { bulkActions, type BulkAction } from '@grove/contract/maple/fleet/device-bulk.rules'
import { attributeTypes, isAttributeKey, isDay } from '@grove/contract/maple/fleet/device.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../../../../../api/problem-text.ts'
import { api } from '../../../../../session/api.ts'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { useAttributeWords } from '../attribute.labels.tsx'
import type { DeviceScope } from '../device.api.ts'
import type { DeviceFilter } from '../device.search.ts'
import { AttributeInput } from '../form/attributes-field.tsx'
import { ServiceChoice } from '../../../base/service-choice.tsx'
import { attributeOf, type AttributeRow } from '../form/label-values.ts'
import { BulkProgressDialog } from './bulk-progress.tsx'

interface FilterBulkProps {
  scope: DeviceScope
  filter: DeviceFilter
  onClose: () => void
}

interface Values {
  action: BulkAction
  tag: string
  serviceId: string
  key: string
  type: AttributeRow['type']
  text: string
}

/** Changes every device that the list's filter matches: first what and how many, then the progress. */
export function FilterBulk({ scope, filter, onClose }: FilterBulkProps) {
  const [bulk, setBulk] = useState<DeviceBulk>()
  return bulk ? (
    <BulkProgressDialog bulk={bulk} onClose={onClose} />
  ) : (
    <AskForChange scope={scope} filter={filter} onStarted={setBulk} onClose={onClose} />
  )
}

export function useBulkWords(): Record<BulkAction, string> {
  const { t } = useLingui()
  return {
    accept: t`Accept`,
    quarantine: t`Put on hold`,
    retire: t`Retire`,
    addTag: t`Add a tag`,
    removeTag: t`Remove a tag`,
    setService: t`Set the service provider`,
    setAttribute: t`Set an attribute`,
  }
}

function AskForChange({
  scope,
  filter,
  onStarted,
  onClose,
}: FilterBulkProps & { onStarted: (bulk: DeviceBulk) => void }) {
  const { t, i18n } = useLingui()
  const { setService, ...ownWords } = useBulkWords()
  const words: Partial<Record<BulkAction, string>> =
    scope === 'all' ? { ...ownWords, setService } : ownWords
  const attributeWords = useAttributeWords()
  const { data, error } = useQuery({
    ...api.maple.query('/api/maple/device/bulk/count', { query: filter }),
    staleTime: 0,
  })
  const count = data?.count
  const form = useForm<Values, DeviceBulk | null>({
    values: { action: bulkActions[0], tag: '', serviceId: '', key: '', type: 'text', text: '' },
    check: ({ action, tag, key, type, text }) => ({
      tag: action.endsWith('Tag') && tag.trim() === '' ? t`Enter a value.` : undefined,
      key:
        action === 'setAttribute' && !isAttributeKey(key.trim())
          ? t`Start with a lower-case letter; then lower-case letters, digits and _ only.`
          : undefined,
      text: action !== 'setAttribute' ? undefined : textProblem(type, text),
    }),
    submit: async (values) => {
      const isAgreed =
        values.action !== 'retire' ||
        (await confirm({
          title: t`${plural(count ?? 0, { one: 'Retire # device?', other: 'Retire # devices?' })}`,
          text: t`Retiring is final: a retired device can never be used again. Its history stays.`,
          action: t`Retire`,
          isDanger: true,
          typeToConfirm: String(count ?? 0),
        }))
      return isAgreed
        ? api.maple.post('/api/maple/device/bulk', { body: { filter, ...changeOf(values) } })
        : null
    },
    onSaved: (bulk) => bulk && onStarted(bulk),
    isBlocked: !count,
  })
  const { values, errors } = form
  const { action } = values

  /** An attribute without a value is removed. */
  function textProblem(type: Values['type'], text: string) {
    const plain = text.trim()
    if (plain === '') return undefined
    if (type === 'number' && !Number.isFinite(Number(plain))) return t`Enter a number, such as 3.5.`
    return type === 'date' && !isDay(plain) ? t`Choose a day.` : undefined
  }

  return (
    <FormDialog
      title={t`Change all matching devices`}
      form={form}
      submitLabel={t`Start`}
      onClose={onClose}
    >
      <p aria-live="polite">
        {error ? (
          problemText(error, i18n)
        ) : count === undefined ? (
          <Trans>Counting the devices…</Trans>
        ) : (
          <strong>
            {plural(count, { one: '# device matches now.', other: '# devices match now.' })}
          </strong>
        )}{' '}
        <Trans>The devices that match at the start are changed, if their state allows it.</Trans>
      </p>
      <SelectField
        label={t`What to do`}
        value={action}
        words={words}
        onChange={(next) => form.set({ action: next })}
      />
      {(action === 'addTag' || action === 'removeTag') && (
        <Field
          label={t({ message: 'Tag', context: 'of a device' })}
          {...codeField}
          {...form.input('tag')}
        />
      )}
      {action === 'setService' && (
        <ServiceChoice
          label={t`Service provider`}
          value={values.serviceId}
          error={errors['serviceId']}
          onChange={(serviceId) => form.set({ serviceId })}
        />
      )}
      {action === 'setAttribute' && (
        <>
          <Field label={t`Key`} placeholder="floor" {...codeField} {...form.input('key')} />
          <SelectField
            label={t`Type of the value`}
            value={values.type}
            words={Object.fromEntries(
              attributeTypes.map((type, at) => [type, attributeWords.types[at]?.label ?? type]),
            )}
            onChange={(type) => form.set({ type, text: type === 'boolean' ? 'true' : '' })}
          />
          <div className="field">
            <AttributeInput
              type={values.type}
              text={values.text}
              isWrong={errors['text'] !== undefined}
              onText={(text) => form.set({ text })}
            />
            <div className="field-hint">
              {errors['text'] ?? t`If empty, the attribute is removed.`}
            </div>
          </div>
        </>
      )}
    </FormDialog>
  )
}

function changeOf({ action, tag, serviceId, key, type, text }: Values) {
  switch (action) {
    case 'addTag':
    case 'removeTag':
      return { action, tag: tag.trim() }
    case 'setService':
      return { action, serviceId: serviceId || null }
    case 'setAttribute': {
      const attribute = text.trim() === '' ? null : attributeOf({ type, text })
      return { action, key: key.trim(), attribute }
    }
    default:
      return { action }
  }
}
