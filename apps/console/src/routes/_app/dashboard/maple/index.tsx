import { createFileRoute, notFound, redirect } from '@tanstack/react-router'
import { startPageFor } from '../../../../shell/navigation.ts'

export const Route = createFileRoute('/_app/dashboard/maple/')({
  beforeLoad: ({ context: { viewer } }) => {
    const to = startPageFor(viewer, '/dashboard/maple')
    throw to ? redirect({ to, replace: true }) : notFound()
  },
})
