import { Trans, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useLocation } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { NetworkProblem } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'
import { auth } from '../../session/auth.ts'
import { addMessages } from '../../ui/i18n/locale.ts'
import { homePage, isSignedIn } from '../../session/session.ts'
import { SignOutButton } from '../../session/sign-out-button.tsx'
import { VisitorPage } from '../../ui/page/visitor-page.tsx'
import frame from '../../features/catalogue/catalogue-frame.module.css'
import { catalogueHeadingId, catalogueSearch } from '../../features/catalogue/catalogue-search.ts'
import { CatalogueSkeleton } from '../../features/catalogue/catalogue-skeleton.tsx'

export const Route = createFileRoute('/_app/')({
  // In the entry: signing out must not wait for a chunk.
  codeSplitGroupings: [],
  validateSearch: catalogueSearch,
  component: StartPage,
})

function StartPage() {
  const signedIn = useSyncExternalStore(auth.subscribe, isSignedIn)
  // An app or search that the visitor opened is worth returning to; the bare page gives way to the
  // dashboard.
  const from = useLocation({ select: ({ href }) => (href === '/' ? undefined : href) })
  const home = signedIn ? homePage() : '/'
  return (
    <VisitorPage>
      <div className="start-page">
        <section className="start">
          <h1>
            <Trans>One console for mini-apps and devices</Trans>
          </h1>
          <p>
            <Trans>
              Publish mini-apps with Cedar, and manage devices and their secure elements with Maple.
            </Trans>
          </p>
          <div className="actions">
            {signedIn ? (
              <>
                {home !== '/' && (
                  <Link to={home} className="button primary">
                    <Trans>Go to the dashboard</Trans>
                  </Link>
                )}
                <SignOutButton className="button" />
              </>
            ) : (
              <>
                <Link to="/login" search={{ from }} className="button primary">
                  <Trans>Sign in</Trans>
                </Link>
                <Link to="/signup" search={{ from }} className="button">
                  <Trans>Create an account</Trans>
                </Link>
              </>
            )}
          </div>
        </section>
        <section className={frame.catalogue} aria-labelledby={catalogueHeadingId}>
          <h2 id={catalogueHeadingId} tabIndex={-1}>
            <Trans>Mini-apps</Trans>
          </h2>
          <CataloguePart />
        </section>
      </div>
    </VisitorPage>
  )
}

/** The catalogue has its own chunk: people who come to sign in do not wait for it. */
async function loadCatalogue() {
  // The list will need it; requested while the code is still loading.
  if (!isSignedIn()) void auth.getAnonymousAuthorization()
  try {
    const [{ Catalogue }] = await Promise.all([
      import('../../features/catalogue/catalogue.tsx'),
      addMessages('catalogue'),
    ])
    return Catalogue
  } catch (error) {
    throw new NetworkProblem(error)
  }
}

function CataloguePart() {
  const { i18n, t } = useLingui()
  const {
    data: Catalogue,
    error,
    refetch,
  } = useQuery({
    queryKey: ['start', 'catalogue'],
    queryFn: loadCatalogue,
    staleTime: Number.POSITIVE_INFINITY,
    // Signing in or out empties the cache, but not this page.
    placeholderData: keepPreviousData,
  })
  if (Catalogue) return <Catalogue />
  if (!error)
    return (
      <>
        <span className={`skeleton ${frame.searchPlaceholder}`} />
        <CatalogueSkeleton label={t`Loading`} />
      </>
    )

  const retry = async () => {
    const { isError } = await refetch()
    // A browser may remember for the life of a page that a script failed to load.
    if (isError && navigator.onLine) location.reload()
  }
  return (
    <div className={`notice ${frame.wide}`}>
      <p role="alert">{problemText(error, i18n)}</p>
      <button type="button" className="button" onClick={() => void retry()}>
        <Trans>Try again</Trans>
      </button>
    </div>
  )
}
