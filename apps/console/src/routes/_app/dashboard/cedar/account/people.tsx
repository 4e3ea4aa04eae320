import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { infoQuery } from '../../../../../session/sign-in-methods.ts'
import { PageHeader } from '../../../../../ui/page/page-header.tsx'
import { PeopleList } from '../../../../../features/auth/account/account.list.tsx'
import { peopleSearch } from '../../../../../features/auth/account/account.search.ts'

export const Route = createFileRoute('/_app/dashboard/cedar/account/people')({
  staticData: { title: msg`People` },
  validateSearch: peopleSearch,
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(infoQuery),
  component: PeoplePage,
})

function PeoplePage() {
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const onSearch = (change: object) =>
    void navigate({ search: (now) => peopleSearch({ ...now, ...change }), resetScroll: false })
  return (
    <>
      <PageHeader
        title={<Trans>People</Trans>}
        description={
          <Trans>Every account of this stage. One that is disabled cannot sign in.</Trans>
        }
      />
      <PeopleList search={search} onSearch={onSearch} />
    </>
  )
}
