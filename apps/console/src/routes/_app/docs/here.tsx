import { createFileRoute, redirect } from '@tanstack/react-router'
import { docsSearch } from '../../../features/docs/docs-search.ts'
import { guideAbout } from '../../../features/docs/page-guides.ts'

/** The guides about the page that the reader comes from. */
export const Route = createFileRoute('/_app/docs/here')({
  ...docsSearch,
  beforeLoad: ({ search }) => {
    const place = search.from === undefined ? undefined : guideAbout(search.from)
    if (!place) throw redirect({ to: '/docs', search, replace: true })
    const { guide, hash } = place
    throw redirect({ to: '/docs/$guide', params: { guide }, hash, search, replace: true })
  },
})
