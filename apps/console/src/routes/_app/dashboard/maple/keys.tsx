import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { ApiKeyPage } from '../../../../features/maple/access/api-key/api-key.page.tsx'
import { Pending } from '../../../../ui/page/pending.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/keys')({
  staticData: { title: msg`API keys` },
  pendingComponent: Pending,
  component: ApiKeyPage,
})
