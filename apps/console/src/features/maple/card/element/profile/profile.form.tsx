import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import {
  isPlatform,
  isProfileId,
  maxProfileNameLength,
} from '@grove/contract/maple/fleet/element.rules'
import { platformName } from '@grove/secure-element/platform'
import { useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import { api } from '../../../../../session/api.ts'
import { ChangeDialog } from '../../../../../ui/dialog/change-dialog.tsx'
import { codeField, type FormFields } from '../../../../../ui/form/fields.tsx'
import { useNameField } from '../../../../../ui/form/name-problem.ts'
import { refreshProfiles } from '../element.api.ts'

export function RenameProfile({
  profile: { id, name, revision },
  onClose,
}: {
  profile: SecureElementProfile
  onClose: () => void
}) {
  const { t } = useLingui()
  return (
    <ChangeDialog
      title={t`Rename the profile`}
      submitLabel={t`Rename`}
      fields={{ name: useNameField(maxProfileNameLength) }}
      form={{
        values: { name },
        submit: (body) =>
          api.maple.put('/api/maple/se/profiles/name', { query: { id }, ifMatch: revision, body }),
      }}
      done={() => t`The profile is renamed.`}
      refresh={refreshProfiles}
      onClose={onClose}
    />
  )
}

interface ProfileValues {
  id: string
  name: string
  platform: string
}

/** @param platforms the platforms of the elements, to choose from */
export function CreateProfile({
  platforms,
  onClose,
}: {
  platforms: readonly string[]
  onClose: () => void
}) {
  const { t } = useLingui()
  const list = useId()
  const fields: FormFields<ProfileValues> = {
    name: {
      label: t`Name`,
      maxLength: maxProfileNameLength,
      problemOf: (text) => (text.trim() === '' ? t`Enter a name.` : undefined),
    },
    id: {
      label: t`ID`,
      hint: t`Such as transit-card. It cannot be changed later.`,
      problemOf: (text) =>
        isProfileId(text.trim())
          ? undefined
          : t`Start with a letter or digit; use letters, digits and . _ -`,
      ...codeField,
    },
    platform: {
      label: t`Platform (optional)`,
      hint: t`The first 10 bytes of a CPLC, 20 hex digits. If empty, the profile is only assigned by hand.`,
      list,
      problemOf: (text) =>
        text.trim() === '' || isPlatform(text.trim()) ? undefined : t`Enter 20 hex digits.`,
      ...codeField,
    },
  }
  return (
    <ChangeDialog<ProfileValues, SecureElementProfile>
      title={t`New profile`}
      submitLabel={t`Create`}
      fields={fields}
      form={{
        values: { id: '', name: '', platform: '' },
        submit: ({ id, name, platform }) =>
          api.maple.post('/api/maple/se/profiles', {
            body: { id: id.trim(), name, platform: platform.trim() || null },
          }),
      }}
      done={({ name }) => t`The profile “${name}” is created.`}
      refresh={refreshProfiles}
      onClose={onClose}
    >
      {() => (
        <datalist id={list}>
          {platforms.map((platform) => (
            <option key={platform} value={platform}>
              {platformName(platform)}
            </option>
          ))}
        </datalist>
      )}
    </ChangeDialog>
  )
}
