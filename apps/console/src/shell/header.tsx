import { useLingui } from '@lingui/react/macro'
import { useLocation, useRouteContext } from '@tanstack/react-router'
import { Menu, Share2 } from 'lucide-react'
import { isStagePage, worksInStage } from '../session/stage-page.ts'
import { useMapleRights } from '../session/maple-rights.ts'
import { useWorkingProvider, workingProvider } from '../session/working-provider.ts'
import { useAfterLoad } from '../ui/page/use-after-load.ts'
import { useCurrentSharedLink } from '../ui/page/shared-link.ts'
import { usePageTitle } from '../ui/page/page-title.ts'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { onDemand } from '../ui/kit/on-demand.tsx'
import { iconName } from '../ui/kit/tooltip.ts'
import styles from './header.module.css'
import { isFor, placeOf } from './navigation.ts'
import { PaletteButton } from './palette/palette-button.tsx'

const StageSelector = onDemand(() =>
  import('./stage-selector.tsx').then((module) => module.StageSelector),
)

const Inbox = onDemand(() => import('./inbox.tsx').then((module) => module.Inbox))

const approvals = placeOf('/dashboard/maple/approvals').item

export function Header({ onOpenMenu }: { onOpenMenu: () => void }) {
  const { t } = useLingui()
  const { pathname } = useLocation()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  // A page that does not exist is in no table.
  const page = placeOf(pathname).page?.to
  // A stage gives access, and so does a Maple account.
  useWorkingProvider(viewer.userId)
  useMapleRights(viewer.userId)
  const isQuiet = useAfterLoad()
  return (
    <header className={styles.header}>
      <button
        type="button"
        className={`button quiet icon ${styles.menu}`}
        aria-label={t`Open the menu`}
        onClick={onOpenMenu}
      >
        <Menu size={16} />
      </button>
      <Breadcrumbs />
      <div className={styles.tools}>
        {page !== undefined && isStagePage(page) && (
          <span className={styles.stage}>
            <StageSelector userId={viewer.userId} />
          </span>
        )}
        <PaletteButton />
        {isQuiet && approvals && isFor(viewer, approvals) && <Inbox />}
        {'share' in navigator && <ShareButton userId={viewer.userId} />}
      </div>
    </header>
  )
}

/** The page's URL, including the stage it works in. */
function addressWith(userId: string | null): string {
  const url = new URL(location.href)
  const stage = worksInStage(url.pathname) ? workingProvider(userId) : undefined
  if (stage) url.searchParams.set('stage', stage.id)
  return url.href
}

function ShareButton({ userId }: { userId: string | null }) {
  const { t } = useLingui()
  const title = usePageTitle()
  const shared = useCurrentSharedLink()
  const share = () => {
    // Rejects when the reader closes the share sheet, which needs no message.
    navigator.share(shared ?? { title, url: addressWith(userId) }).catch(() => {})
  }
  return (
    <button
      type="button"
      className="button quiet icon"
      {...iconName(shared ? t`Share this app` : t`Share this page`)}
      onClick={share}
    >
      <Share2 size={16} />
    </button>
  )
}
