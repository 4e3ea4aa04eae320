import { createFileRoute } from '@tanstack/react-router'
import { DecodeFromAddress } from '../../features/maple/base/decode/decode-from-address.tsx'
import { DashboardFailure } from '../../shell/dashboard-failure.tsx'
import { addMessages, textsOf, withTexts } from '../../ui/i18n/locale.ts'
import { DashboardNotFound } from '../../ui/failure/not-found.tsx'
import { isFirstAnswerHere } from '../../session/first-call.ts'
import { requireDashboard } from '../../session/session.ts'
import { Explainer } from '../../shell/palette/explainer.ts'
import { Shell } from '../../shell/shell.tsx'

export const Route = createFileRoute('/_app/dashboard')({
  // The shell loads the texts of refusals once the page is idle.
  codeSplitGroupings: [['component'], ['errorComponent']],
  beforeLoad: async ({ location }) => {
    const [viewer] = await Promise.all([
      requireDashboard(location.href),
      addMessages(textsOf(location.pathname)),
    ])
    return { viewer, isAnswered: isFirstAnswerHere() }
  },
  errorComponent: DashboardFailure,
  notFoundComponent: DashboardNotFound,
  component: Dashboard,
})

const explain = withTexts(
  () => import('../../features/maple/base/decode/explain-typed.ts'),
  'decode',
)

function Dashboard() {
  return (
    <>
      <Explainer value={explain}>
        <Shell />
      </Explainer>
      <DecodeFromAddress />
    </>
  )
}
