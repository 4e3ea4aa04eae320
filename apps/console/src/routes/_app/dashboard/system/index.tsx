import { createFileRoute, notFound, redirect } from '@tanstack/react-router'
import { startPageFor } from '../../../../shell/navigation.ts'

export const Route = createFileRoute('/_app/dashboard/system/')({
  beforeLoad: ({ context: { viewer } }) => {
    const to = startPageFor(viewer, '/dashboard/system')
    throw to ? redirect({ to, replace: true }) : notFound()
  },
})
