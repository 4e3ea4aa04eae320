import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { profilesQuery } from '../../../../../features/maple/card/element/element.api.ts'
import { ProfilePage } from '../../../../../features/maple/card/element/profile/profile.page.tsx'
import { Pending } from '../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/secure_elements/profiles')({
  staticData: { title: msg`Profiles` },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(profilesQuery()),
  pendingComponent: Pending,
  component: ProfilePage,
})
