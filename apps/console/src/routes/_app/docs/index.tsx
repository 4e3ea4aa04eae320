import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { docsSearch } from '../../../features/docs/docs-search.ts'
import { GuidePage } from '../../../features/docs/guide-page.tsx'
import { indexName, loadGuide } from '../../../features/docs/guides.ts'

export const Route = createFileRoute('/_app/docs/')({
  ...docsSearch,
  staticData: { title: msg`Help` },
  loader: () => loadGuide(indexName),
  component: function DocsPage() {
    return <GuidePage name={indexName} open={Route.useLoaderData()} />
  },
})
