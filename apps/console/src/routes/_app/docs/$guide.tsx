import { createFileRoute } from '@tanstack/react-router'
import { docsSearch } from '../../../features/docs/docs-search.ts'
import { GuidePage } from '../../../features/docs/guide-page.tsx'
import { loadGuide } from '../../../features/docs/guides.ts'
import { NotFound } from '../../../ui/failure/not-found.tsx'
import { VisitorPage } from '../../../ui/page/visitor-page.tsx'

export const Route = createFileRoute('/_app/docs/$guide')({
  ...docsSearch,
  loader: ({ params }) => loadGuide(params.guide),
  notFoundComponent: () => (
    <VisitorPage>
      <NotFound />
    </VisitorPage>
  ),
  component: function DocsGuidePage() {
    const { guide } = Route.useParams()
    return <GuidePage key={guide} name={guide} open={Route.useLoaderData()} />
  },
})
