import type { SecureElementProfile } from '@grove/contract/maple/card/profile'
import { platformName } from '@grove/secure-element/platform'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Pencil, Plus, Tags, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { onDemand } from '../../../../../ui/kit/on-demand.tsx'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { Link } from '../../../../../ui/link/link.tsx'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { SmallTable, type SmallColumn } from '../../../../../ui/table/small-table.tsx'
import { EmptyState } from '../../../../../ui/text/empty-state.tsx'
import { profilesQuery, refreshProfiles } from '../element.api.ts'

const CreateProfile = onDemand(() =>
  import('./profile.form.tsx').then((file) => file.CreateProfile),
)
const RenameProfile = onDemand(() =>
  import('./profile.form.tsx').then((file) => file.RenameProfile),
)

/** The profiles of secure elements with their rules. */
export function ProfilePage() {
  const { t } = useLingui()
  const { data } = useSuspenseQuery(profilesQuery())
  const [isCreating, setCreating] = useState(false)
  const create = (look: string) => (
    <button type="button" className={`button ${look}`} onClick={() => setCreating(true)}>
      <Plus size={16} aria-hidden />
      {t`New profile`}
    </button>
  )
  return (
    <>
      <PageHeader
        title={t`Profiles`}
        description={t`What a chip contains. A rule assigns its profile to every element of a platform that has none assigned by hand.`}
        action={data.items.length > 0 && create('primary')}
      />
      {data.items.length === 0 ? (
        <EmptyState
          icon={Tags}
          title={t`No profiles yet`}
          text={t`Create the first one from a platform of your elements. The list of elements can then be filtered by it.`}
          action={create('primary')}
        />
      ) : (
        <ProfileTable profiles={data.items} />
      )}
      {isCreating && (
        <CreateProfile platforms={data.platforms} onClose={() => setCreating(false)} />
      )}
    </>
  )
}

function useProfileColumns({
  onRename,
  onDelete,
}: {
  onRename: (profile: SecureElementProfile) => void
  onDelete: (profile: SecureElementProfile) => void
}): SmallColumn<SecureElementProfile>[] {
  const { t } = useLingui()
  return [
    {
      header: t`Profile`,
      cell: ({ id, name }) => (
        <>
          <Link to="/dashboard/maple/secure_elements" search={{ profile: [id] }} preload={false}>
            <bdi>{name}</bdi>
          </Link>{' '}
          <code className="muted">{id}</code>
        </>
      ),
    },
    {
      header: t`Rule`,
      cell: ({ platform }) =>
        platform === null ? (
          <span className="muted">{t`by hand only`}</span>
        ) : (
          <>
            {platformName(platform)} <code>{platform}</code>
          </>
        ),
    },
    {
      header: t`Actions`,
      hasActions: true,
      cell: (profile) => (
        <>
          <button
            type="button"
            className="button quiet icon"
            {...iconName(t`Rename “${profile.name}”…`)}
            onClick={() => onRename(profile)}
          >
            <Pencil size={16} />
          </button>
          <button
            type="button"
            className="button quiet icon"
            {...iconName(t`Delete “${profile.name}”…`)}
            onClick={() => onDelete(profile)}
          >
            <Trash2 size={16} />
          </button>
        </>
      ),
    },
  ]
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
  const columns = useProfileColumns({
    onRename: setRenamed,
    onDelete: (profile) => void remove(profile),
  })
  return (
    <>
      <SmallTable label={t`Profiles`} rows={profiles} rowId={({ id }) => id} columns={columns} />
      {renamed && <RenameProfile profile={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}
