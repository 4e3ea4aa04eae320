import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { rolesQuery } from '../../../../features/maple/access/account/account.api.ts'
import { RoleMatrix } from '../../../../features/maple/access/account/role-matrix.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/roles')({
  staticData: { title: msg`Roles` },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(rolesQuery()),
  pendingComponent: Pending,
  component: RoleMatrix,
})
