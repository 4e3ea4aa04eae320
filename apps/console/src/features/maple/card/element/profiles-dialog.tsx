import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import {
  isPlatform,
  isProfileId,
  maxProfileNameLength,
} from '@grove/contract/maple/fleet/element.rules'
import { platformName } from '@grove/secure-element/platform'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Pencil, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { api } from '../../../../session/api.ts'
import { ChangeDialog } from '../../../../ui/dialog/change-dialog.tsx'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { checkFields, codeField, Fields, type FormFields } from '../../../../ui/form/fields.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import { useNameField } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { PanelFailure } from '../../../../ui/panel/panel-body.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { profilesQuery, refreshProfiles } from './element.api.ts'
import styles from './profiles-dialog.module.css'

/** The profiles with their rules, and the form of a new one. */
export function ProfilesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const { data, error, refetch } = useQuery(profilesQuery())
  return (
    <Dialog
      title={t`Profiles of secure elements`}
      subtitle={t`What a chip contains. A rule assigns its profile to every element of a platform that has none assigned by hand.`}
      closeLabel={t`Close`}
      size="content"
      onClose={onClose}
    >
      {error ? (
        <PanelFailure error={error} missing="" onRetry={() => void refetch()} onClose={onClose} />
      ) : (
        <ProfileTable profiles={data?.items ?? []} />
      )}
      <CreateProfile key={data?.items.length} platforms={data?.platforms ?? []} onClose={onClose} />
    </Dialog>
  )
}

function ProfileTable({ profiles }: { profiles: readonly SecureElementProfile[] }) {
  const { t } = useLingui()
  const [renamed, setRenamed] = useState<SecureElementProfile>()
  const confirmed = useConfirmed()
  const remove = ({ id, name, revision }: SecureElementProfile) =>
    confirmed({
      question: {
        title: t`Delete the profile “${name}”?`,
        text: t`Elements that got it by rule will have no profile. A profile assigned by hand cannot be deleted.`,
        action: t`Delete the profile`,
        isDanger: true,
      },
      change: () =>
        api.maple.delete('/api/maple/se/profiles', { query: { id }, ifMatch: revision }),
      done: () => t`The profile is deleted.`,
      refresh: refreshProfiles,
    })
  if (profiles.length === 0)
    return (
      <p className="muted">
        <Trans>
          No profiles yet. You can create the first one from a platform of your elements.
        </Trans>
      </p>
    )
  return (
    <>
      <table className={styles.profiles}>
        <thead>
          <tr>
            <th scope="col">{t`Profile`}</th>
            <th scope="col">{t`Rule`}</th>
            <th scope="col">
              <span className="visually-hidden">{t`Actions`}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => (
            <tr key={profile.id}>
              <th scope="row">
                <Link
                  to="/dashboard/maple/secure_elements"
                  search={{ profile: [profile.id] }}
                  preload={false}
                >
                  <bdi>{profile.name}</bdi>
                </Link>{' '}
                <code className="muted">{profile.id}</code>
              </th>
              <td>
                {profile.platform === null ? (
                  <span className="muted">{t`by hand only`}</span>
                ) : (
                  <>
                    {platformName(profile.platform)} <code>{profile.platform}</code>
                  </>
                )}
              </td>
              <td className={styles.actions}>
                <button
                  type="button"
                  className="button quiet icon"
                  {...iconName(t`Rename “${profile.name}”…`)}
                  onClick={() => setRenamed(profile)}
                >
                  <Pencil size={16} />
                </button>
                <button
                  type="button"
                  className="button quiet icon"
                  {...iconName(t`Delete “${profile.name}”…`)}
                  onClick={() => void remove(profile)}
                >
                  <Trash2 size={16} />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {renamed && <RenameProfile profile={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}

function RenameProfile({
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

function CreateProfile({
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
  const form = useForm<ProfileValues, SecureElementProfile>({
    values: { id: '', name: '', platform: '' },
    check: (values) => checkFields(fields, values),
    submit: ({ id, name, platform }) =>
      api.maple.post('/api/maple/se/profiles', {
        body: {
          id: id.trim(),
          name,
          platform: platform.trim() === '' ? null : platform.trim(),
        },
      }),
    onSaved: ({ name }) => {
      notify({ text: t`The profile “${name}” is created.` })
      void refreshProfiles()
    },
    isOnce: true,
  })
  return (
    <section className={styles.create}>
      <h3>{t`New profile`}</h3>
      <FormShell form={form} place="dialog" submitLabel={t`Create the profile`} onCancel={onClose}>
        <Fields form={form} fields={fields} />
        <datalist id={list}>
          {platforms.map((platform) => (
            <option key={platform} value={platform}>
              {platformName(platform)}
            </option>
          ))}
        </datalist>
      </FormShell>
    </section>
  )
}
