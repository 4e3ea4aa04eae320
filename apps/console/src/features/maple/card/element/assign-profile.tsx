import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import { elements, profilesQuery } from './element.api.ts'

/** Assigns a profile to an element manually, or lets the rules decide again. */
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
  return (
    <ChangeDialog
      title={t`Assign a profile`}
      submitLabel={t`Assign`}
      form={{
        values: { profileId: profile?.isAssigned ? profile.id : '' },
        submit: ({ profileId }) =>
          api.maple.put('/api/maple/se/profiles', {
            body: { cplc, profile_id: profileId === '' ? null : profileId },
            ifMatch: revision,
          }),
        needsChange: true,
      }}
      done={() => t`The profile is assigned.`}
      refresh={elements.refresh}
      onClose={onClose}
    >
      {(form) => (
        <SelectField
          label={t`Profile`}
          value={form.values.profileId}
          words={{
            '': byRule,
            ...Object.fromEntries((data?.items ?? []).map(({ id, name }) => [id, name])),
          }}
          onChange={(profileId) => form.set({ profileId })}
        />
      )}
    </ChangeDialog>
  )
}
