import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { Choice } from '../../../base/choice.tsx'
import { profileOptions } from '../../element-choice/element-options.ts'

interface AssignProfilesProps {
  count: number
  /** Null lets the rules decide again. */
  onChosen: (profileId: string | null) => void
  onClose: () => void
}

interface Values {
  by: 'hand' | 'rule'
  profile: string
}

/** Chooses the profile of many elements. */
export function AssignProfiles({ count, onChosen, onClose }: AssignProfilesProps) {
  const { t } = useLingui()
  const form = useForm<Values, string | null>({
    values: { by: 'hand', profile: '' },
    check: ({ by, profile }) => ({
      profile: by === 'hand' && profile === '' ? t`Choose a profile.` : undefined,
    }),
    submit: ({ by, profile }) => Promise.resolve(by === 'hand' ? profile : null),
    onSaved: onChosen,
    isOnce: true,
  })
  const { by, profile } = form.values
  return (
    <FormDialog
      title={t`${plural(count, { one: 'Assign a profile to # element', other: 'Assign a profile to # elements' })}`}
      form={form}
      submitLabel={t`Assign`}
      onClose={onClose}
    >
      <SelectField
        label={t`Assigned`}
        value={by}
        words={{ hand: t`By hand`, rule: t`By the rules of the profiles` }}
        onChange={(next) => form.set({ by: next })}
      />
      {by === 'hand' && (
        <Choice
          label={t`Profile`}
          value={profile}
          options={profileOptions}
          error={form.errors['profile']}
          onChange={(next) => form.set({ profile: next })}
        />
      )}
    </FormDialog>
  )
}
