import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { ApiProblem } from '../../../../../../api/problem.ts'
import { accounts } from '../../../../../../features/auth/account/account.api.ts'
import { AccountFacts, AccountHead } from '../../../../../../features/auth/account/account.page.tsx'
import { AccountSessions } from '../../../../../../features/auth/account/account-sessions.tsx'
import { nameOf } from '../../../../../../features/auth/account/use-switch-account.tsx'
import { personSearch } from '../../../../../../people/person-search.ts'
import { onDemand } from '../../../../../../ui/kit/on-demand.tsx'
import { Columns } from '../../../../../../ui/page/columns.tsx'

// Each comes from another service, and loads separately.
const PersonAccount = onDemand(() =>
  import('../../../../../../features/maple/access/account/person-account.tsx').then(
    (file) => file.PersonAccount,
  ),
)
const MembershipsSection = onDemand(
  () =>
    import('../../../../../../features/cedar/user/memberships-section.tsx').then(
      (file) => file.MembershipsSection,
    ),
  'membership',
)
const UserKeysSection = onDemand(
  () =>
    import('../../../../../../features/cedar/user/user-keys-section.tsx').then(
      (file) => file.UserKeysSection,
    ),
  'membership',
)
const PersonEvents = onDemand(() =>
  import('../../../../../../features/system/event/person-events.tsx').then(
    (file) => file.PersonEvents,
  ),
)

export const Route = createFileRoute('/_app/dashboard/cedar/account/people_/$userId')({
  validateSearch: personSearch,
  // Titles the page; what cannot be loaded shows why on the page.
  loader: async ({ context: { queryClient }, params: { userId } }) => {
    const id = userId.toLowerCase()
    const page = await queryClient.ensureQueryData(accounts.one(id)).catch(() => undefined)
    const account = page?.items.find((each) => each.id === id)
    return { title: account ? nameOf(account) : userId.slice(0, 8) }
  },
  component: Page,
})

function Page() {
  const { userId } = Route.useParams()
  return <Person key={userId} id={userId.toLowerCase()} />
}

/** Everything about one person, each part from its own service. */
function Person({ id }: { id: string }) {
  const { t } = useLingui()
  const { error } = useQuery(accounts.one(id))
  const isFormer = error instanceof ApiProblem && error.code === 'not_found'
  return (
    <>
      <AccountHead id={id} />
      <Columns
        asideLabel={t`Account and sessions`}
        aside={
          <>
            <AccountFacts id={id} />
            {!isFormer && <AccountSessions id={id} />}
          </>
        }
      >
        <PersonAccount id={id} isFormer={isFormer} />
        <MembershipsSection id={id} />
        <UserKeysSection id={id} />
        <PersonEvents id={id} />
      </Columns>
    </>
  )
}
