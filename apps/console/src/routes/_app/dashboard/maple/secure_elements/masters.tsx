import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { mastersQuery } from '../../../../../features/maple/card/element/key/key.api.ts'
import { MasterKeyPage } from '../../../../../features/maple/card/element/master/master.page.tsx'
import { Pending } from '../../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/secure_elements/masters')({
  staticData: { title: msg`Master keys` },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(mastersQuery()),
  pendingComponent: Pending,
  component: MasterKeyPage,
})
