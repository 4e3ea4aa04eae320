import { createFileRoute, notFound, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/_app/dashboard/system/')({
  beforeLoad: async ({ context: { viewer } }) => {
    // The dashboard's table of pages, which the sign-in page does not need.
    const { startPageFor } = await import('../../../../shell/navigation.ts')
    const to = startPageFor(viewer, '/dashboard/system')
    throw to ? redirect({ to, replace: true }) : notFound()
  },
})
