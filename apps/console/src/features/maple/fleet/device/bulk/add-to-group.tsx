import { maxGroupNameLength } from '@grove/contract/maple/fleet/group.rules'
import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useRef } from 'react'
import { api } from '../../../../../session/api.ts'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { useNameProblem } from '../../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { notify } from '../../../../../ui/toast/notify.ts'
import { GroupField } from '../../group-field.tsx'
import { changeGroup, path, refreshDevices, searchLists } from '../../group.api.ts'

interface Values {
  to: 'list' | 'new'
  groupId: string
  name: string
}

interface AddToGroupProps {
  ids: readonly string[]
  onClose: () => void
  onAdded: () => void
}

/** Adds devices to an existing list or a new one. */
export function AddToGroup({ ids, onClose, onAdded }: AddToGroupProps) {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const count = ids.length
  // A retry adds to the list that the first attempt created.
  const made = useRef<string>(undefined)
  const form = useForm<Values>({
    values: { to: 'list', groupId: '', name: '' },
    check: ({ to, groupId, name }) => ({
      groupId: to === 'list' && groupId === '' ? t`Choose a group.` : undefined,
      name: to === 'new' ? nameProblem(name) : undefined,
    }),
    submit: async ({ to, groupId, name }) => {
      if (to === 'new') made.current ??= (await api.maple.post(path, { body: { name } })).id
      return changeGroup(to === 'new' ? (made.current ?? '') : groupId, { add: [...ids] })
    },
    onSaved: () => {
      notify({
        text: t`${plural(count, { one: '# device is in the group.', other: '# devices are in the group.' })}`,
      })
      void refreshDevices()
      onAdded()
    },
    isOnce: true,
  })
  const { values, errors } = form
  return (
    <FormDialog
      title={t`${plural(count, { one: 'Add # device to a group', other: 'Add # devices to a group' })}`}
      form={form}
      submitLabel={t`Add`}
      onClose={onClose}
    >
      <SelectField
        label={t`Group`}
        value={values.to}
        words={{ list: t`One that is a list`, new: t`A new one` }}
        onChange={(to) => form.set({ to })}
      />
      {values.to === 'list' ? (
        <GroupField
          label={t`List`}
          value={values.groupId}
          options={searchLists}
          placeholder={t`Choose a list`}
          error={errors['groupId']}
          onChange={(groupId) => form.set({ groupId })}
        />
      ) : (
        <Field
          label={t`Name`}
          maxLength={maxGroupNameLength}
          autoComplete="off"
          {...form.input('name')}
        />
      )}
    </FormDialog>
  )
}
