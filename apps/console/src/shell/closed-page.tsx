import { Trans } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { providersQuery, setUpProvider } from '../session/providers.ts'
import { Link } from '../ui/link/link.tsx'
import { Failure } from '../ui/failure/failure.tsx'
import { Pending } from '../ui/page/pending.tsx'
import type { Viewer } from '../session/session.ts'

interface ClosedPageProps {
  viewer: Viewer
  /** The page is for people who work in a stage. */
  needsStage: boolean
}

/** Why a page is closed to this viewer, and what to do next. */
export const ClosedPage = ({ viewer, needsStage }: ClosedPageProps) =>
  needsStage && viewer.isDeveloper ? <StageNeeded userId={viewer.userId} /> : <NotForYourRole />

const NotForYourRole = () => (
  <div className="notice">
    <h1>
      <Trans>This page is for administrators</Trans>
    </h1>
    <p>
      <Trans>Your role has no access to it. Choose another page in the menu.</Trans>
    </p>
  </div>
)

/** A developer without a stage: none is chosen yet, or their providers have no key. */
function StageNeeded({ userId }: Pick<Viewer, 'userId'>) {
  const { data, error } = useQuery(providersQuery)
  // A new tab finds its stage here, and the page then opens automatically.
  useEffect(() => void setUpProvider(userId), [userId])
  if (error) return <Failure error={error} />
  if (!data) return <Pending />
  const hasStage = data.some(({ isDefault, mobyApiKey }) => !isDefault && mobyApiKey)
  return (
    <div className="notice">
      <h1>
        <Trans>This page needs a working stage</Trans>
      </h1>
      <p>
        {hasStage ? (
          <Trans>
            The selected provider has no API key. Choose another stage in the header, or create a
            key.
          </Trans>
        ) : (
          <Trans>
            A provider with an API key is a working stage: it has its own devices, cards and
            applets. Create the key, and this page opens.
          </Trans>
        )}
      </p>
      <Link to="/dashboard/maple/keys" className="button primary">
        <Trans>Go to the API keys</Trans>
      </Link>
    </div>
  )
}
