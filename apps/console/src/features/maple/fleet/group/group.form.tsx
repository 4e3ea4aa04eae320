import type { DeviceGroup } from '@grove/contract/maple/fleet/group'
import {
  groupKinds,
  maxGroupDescriptionLength,
  maxGroupDevices,
  maxGroupNameLength,
  type GroupKind,
} from '@grove/contract/maple/fleet/group.rules'
import { useLingui } from '@lingui/react/macro'
import { api } from '../../../../session/api.ts'
import { AreaField } from '../../../../ui/field/area-field.tsx'
import type { FormFields } from '../../../../ui/form/fields.tsx'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import type { Form } from '../../../../ui/form/use-form.ts'
import { CreateItem, type NewItem } from '../../../../ui/panel/create-item.tsx'
import { EditItem } from '../../../../ui/panel/edit-item.tsx'
import { path } from '../group.api.ts'
import { groups } from './group.api.ts'
import { kindOf } from './group.labels.tsx'
import { RuleFields } from './rule-fields.tsx'
import { noRule, ruleOf, ruleValues, useRuleProblems, type RuleValues } from './rule-values.ts'

interface GroupValues extends RuleValues {
  name: string
  description: string
  kind: GroupKind
}

export function CreateGroup(panel: NewItem) {
  const { t } = useLingui()
  const problems = useRuleProblems()
  return (
    <CreateItem<GroupValues, DeviceGroup>
      {...panel}
      items={groups}
      title={t`New group`}
      submitLabel={t`Create`}
      savedText={({ name }) => t`The group “${name}” is created.`}
      fields={useGroupFields()}
      form={{
        values: { name: '', description: '', kind: 'rule', ...noRule },
        check: (values) => (values.kind === 'rule' ? problems(values) : {}),
        submit: ({ name, description, kind, ...rule }) =>
          api.maple.post(path, {
            body: { name, description, ...(kind === 'rule' && { rule: ruleOf(rule) }) },
          }),
      }}
    >
      {(form) => (
        <>
          <Description form={form} />
          <KindField form={form} />
          {form.values.kind === 'rule' && <RuleFields form={form} />}
        </>
      )}
    </CreateItem>
  )
}

export function EditGroup({ group, onEnd }: { group: DeviceGroup; onEnd: () => void }) {
  const { t } = useLingui()
  const problems = useRuleProblems()
  return (
    <EditItem
      items={groups}
      item={group}
      valuesOf={({ name, description, rule }): GroupValues => ({
        name,
        description,
        kind: kindOf({ rule }),
        ...ruleValues(rule),
      })}
      fields={useGroupFields()}
      labels={{ description: t`Description (optional)` }}
      form={{
        check: (values) => (values.kind === 'rule' ? problems(values) : {}),
        submit: ({ name, description, kind, ...rule }, _from, ifMatch) =>
          api.maple.put(path, {
            query: { id: group.id },
            ...ifMatch,
            body: { name, description, ...(kind === 'rule' && { rule: ruleOf(rule) }) },
          }),
      }}
      onEnd={onEnd}
    >
      {(form) => (
        <>
          <Description form={form} />
          {form.values.kind === 'rule' && <RuleFields form={form} />}
        </>
      )}
    </EditItem>
  )
}

function Description({ form }: { form: Form<GroupValues> }) {
  const { t } = useLingui()
  return (
    <AreaField
      label={t`Description (optional)`}
      rows={2}
      maxLength={maxGroupDescriptionLength}
      value={form.values.description}
      error={form.errors['description']}
      onChange={({ target }) => form.set({ description: target.value })}
    />
  )
}

function KindField({ form }: { form: Form<GroupValues> }) {
  const { t, i18n } = useLingui()
  const most = i18n.number(maxGroupDevices)
  const words: Record<GroupKind, readonly [string, string]> = {
    rule: [t`A rule`, t`Devices that meet its conditions, those that come later as well.`],
    list: [
      t`A list`,
      t`Devices that you add one by one or from the list of devices, ${most} at most.`,
    ],
  }
  return (
    <fieldset className="choice">
      <legend>{t`Devices`}</legend>
      {groupKinds.map((kind) => (
        <label key={kind}>
          <input
            type="radio"
            name="kind"
            checked={form.values.kind === kind}
            onChange={() => form.set({ kind })}
          />
          <span>
            {words[kind][0]}
            <small>{words[kind][1]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function useGroupFields() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  return {
    name: {
      label: t`Name`,
      maxLength: maxGroupNameLength,
      autoComplete: 'off',
      problemOf: (name) => nameProblem(name),
    },
  } satisfies FormFields<GroupValues>
}
