import { createFileRoute, notFound, redirect } from '@tanstack/react-router'
import { navigationFor } from '../../../navigation.ts'

export const Route = createFileRoute('/_app/dashboard/')({
  beforeLoad: ({ context: { viewer } }) => {
    const first = navigationFor(viewer)[0]?.items[0]
    throw first ? redirect({ to: first.to, replace: true }) : notFound()
  },
})
