import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { rolesOf } from '@grove/contract/cedar/derived-role.rules'
import { RecentActivity } from '../../../features/cedar/parts/activity/recent-activity.tsx'
import { FirstRun } from '../../../features/cedar/product/first-run.tsx'
import { FirstDevice } from '../../../features/home/first-device.tsx'
import { Home } from '../../../features/home/home.page.tsx'
import { useWorkingProvider } from '../../../session/working-provider.ts'
import { addMessages } from '../../../ui/i18n/locale.ts'

export const Route = createFileRoute('/_app/dashboard/')({
  staticData: { title: msg({ message: 'Home', context: 'the first page' }) },
  loader: () => addMessages('home'),
  component: function HomePage() {
    const { viewer } = Route.useRouteContext()
    const provider = useWorkingProvider(viewer.userId)
    const hasStage = rolesOf(viewer, provider).has('MapleDeveloper')
    return (
      <Home
        isAdmin={viewer.isAdmin}
        hasMaple={viewer.isAdmin || hasStage}
        steps={
          !viewer.isAdmin && (
            <>
              <FirstRun isShownAtOnce />
              <FirstDevice hasStage={hasStage} />
            </>
          )
        }
        recent={<RecentActivity />}
      />
    )
  },
})
