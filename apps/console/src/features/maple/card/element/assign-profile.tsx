import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { FormDialog } from '../../../../ui/dialog/form-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { useForm } from '../../../../ui/form/use-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { elements, profilesQuery } from './element.api.ts'

/** Assigns a profile to an element by hand, or returns it to the rules. */
export function AssignProfile({
  element,
  onClose,
}: {
  element: SecureElement
  onClose: () => void
}) {
  const { t } = useLingui()
  const { data } = useQuery(profilesQuery())
  const { cplc, profile, revision } = element
  const rule = data?.items.find(({ platform }) => platform === cplc.slice(0, 20))
  const byRule = rule ? t`By rule: ${rule.name}` : t`By rule: no match`
  const form = useForm({
    values: { profileId: profile?.isAssigned ? profile.id : '' },
    submit: ({ profileId }) =>
      api.maple.put('/api/maple/se/profiles', {
        body: { cplc, profile_id: profileId === '' ? null : profileId },
        ifMatch: revision,
      }),
    onSaved: (saved) => {
      notify({ text: t`The profile is assigned.` })
      void elements.refresh(saved)
      onClose()
    },
    needsChange: true,
    isOnce: true,
  })
  return (
    <FormDialog title={t`Assign a profile`} form={form} submitLabel={t`Assign`} onClose={onClose}>
      <SelectField
        label={t`Profile`}
        value={form.values.profileId}
        words={{
          '': byRule,
          ...Object.fromEntries((data?.items ?? []).map(({ id, name }) => [id, name])),
        }}
        onChange={(profileId) => form.set({ profileId })}
      />
    </FormDialog>
  )
}
