import { deviceStates, deviceTypes } from '@grove/contract/maple/fleet/device.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import type { Form } from '../../../../ui/form/use-form.ts'
import { useDeviceWords } from '../../fleet/device-words.ts'
import { GroupField } from '../../fleet/group-field.tsx'
import { searchGroups } from '../../fleet/group.api.ts'
import { countQuery, deviceOptions } from '../rollout.api.ts'
import { ChosenOptions } from './chosen-options.tsx'
import { ProductField } from './product-field.tsx'
import { filterOf, type RolloutValues } from './rollout-values.ts'

/** How many devices a filter currently matches; undefined until the service has answered. */
export function useDeviceCount(values: RolloutValues, isAsked = true): number | undefined {
  const filter = useDeferredValue(JSON.stringify(filterOf(values)))
  const { data } = useQuery({
    ...countQuery(JSON.parse(filter) as Record<string, string>),
    enabled: isAsked && values.by === 'filter',
    placeholderData: keepPreviousData,
    retry: false,
  })
  return values.by === 'devices' ? values.devices.length : data?.count
}

/** The devices: those that match a filter, with their current number, or some by name. */
export function TargetStep({ form }: { form: Form<RolloutValues> }) {
  const { t } = useLingui()
  const words = useDeviceWords()
  const { kind, by, groupId, type, state, devices } = form.values
  const count = useDeviceCount(form.values)
  return (
    <>
      <SelectField
        label={t`Devices`}
        value={by}
        words={{ filter: t`Devices that match a filter`, devices: t`Devices that I choose` }}
        onChange={(next) => form.set({ by: next })}
      />
      {by === 'devices' ? (
        <ChosenOptions
          label={t`Chosen devices`}
          add={t`Add a device`}
          chosen={devices}
          options={deviceOptions}
          error={form.errors['devices']}
          onChange={(next) => form.set({ devices: next })}
        />
      ) : (
        <>
          <GroupField
            label={t`Group`}
            value={groupId}
            options={searchGroups}
            placeholder={t`any device`}
            error={form.errors['groupId']}
            onChange={(id) => form.set({ groupId: id })}
          />
          {kind !== 'image' && <ProductField form={form} />}
          <SelectField
            label={t`Type`}
            value={type}
            words={{ '': t`any type`, ...pick(deviceTypes, words.type) }}
            onChange={(next) => form.set({ type: next })}
          />
          <SelectField
            label={t`State`}
            value={state}
            words={{
              '': t`any state`,
              ...pick(deviceStates.slice(0, 4), words.state),
            }}
            onChange={(next) => form.set({ state: next })}
          />
          <Field
            label={t`Tags`}
            hint={t`Devices that have all of them, separated by commas.`}
            {...codeField}
            {...form.input('tag')}
          />
          <Field
            label={t`Attributes`}
            hint={t`Such as site=North Hall,floor>=3`}
            {...codeField}
            {...form.input('attribute')}
          />
          <output className="notice">
            {count === undefined
              ? t`Counting devices…`
              : t`${plural(count, { one: '# device', other: '# devices' })} now. Retired devices and those to be accepted are left out.`}
          </output>
          <Field
            type="datetime-local"
            label={t`Devices can join until (optional)`}
            hint={t`Until then, devices that match the filter later join the last group.`}
            {...form.input('joinUntil')}
          />
        </>
      )}
    </>
  )
}

const pick = <Value extends string>(values: readonly Value[], words: Record<Value, string>) =>
  Object.fromEntries(values.map((value) => [value, words[value]])) as Record<string, string>
