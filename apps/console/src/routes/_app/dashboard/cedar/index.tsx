import { createFileRoute, notFound, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/_app/dashboard/cedar/')({
  beforeLoad: async ({ context: { viewer } }) => {
    // The table of pages is the dashboard's, which the sign-in page does without.
    const { startPageFor } = await import('../../../../shell/navigation.ts')
    const to = startPageFor(viewer, '/dashboard/cedar')
    throw to ? redirect({ to, replace: true }) : notFound()
  },
})
