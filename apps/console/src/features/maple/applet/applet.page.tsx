import type { Applet } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { onDemand } from '../../../ui/kit/on-demand.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { AppletActions } from './applet-actions.tsx'
import { applets, versionsQuery } from './applet.api.ts'
import type { AppletPageSearch } from './applet.search.ts'
import { AppletStateBadge } from './applet.labels.tsx'
import styles from './applet.page.module.css'
import { CapView } from './cap-view.tsx'
import { InstalledSection } from './installed-section.tsx'
import { OperationsSection } from './install/operations-section.tsx'

// Privileges have the words of the decoder.
const InstallSection = onDemand(
  () => import('./install/install-section.tsx').then((file) => file.InstallSection),
  'decode',
)

/** Everything about one applet: its loader has found it. */
export function AppletPage({ id, element }: AppletPageSearch & { id: string }) {
  const { t } = useLingui()
  const { data: applet } = useSuspenseQuery(applets.one(id))
  return (
    <article>
      <PageHeader
        title={
          <span className={styles.title}>
            {applet.name} {applet.version}
            <AppletStateBadge state={applet.state} />
          </span>
        }
        description={<code>{applet.packageAid}</code>}
        action={<AppletActions applet={applet} />}
      />
      <div className={styles.columns}>
        <div>
          <InstallSection applet={applet} element={element} />
          <OperationsSection appletId={id} />
        </div>
        <aside>
          <InstalledSection id={id} />
          <Versions applet={applet} />
          <Section title={t`What it is`}>
            <CapView cap={applet} />
          </Section>
        </aside>
      </div>
    </article>
  )
}

/** The other uploads of the package. */
function Versions({ applet }: { applet: Applet }) {
  const { t } = useLingui()
  const { data } = useQuery(versionsQuery(applet.packageAid))
  const others = data?.items.filter(({ id }) => id !== applet.id) ?? []
  if (others.length === 0) return null
  return (
    <Section title={t`Other versions`}>
      <ul className={styles.list}>
        {others.map(({ id, version, fileName, state }) => (
          <li key={id}>
            <Link to="/dashboard/maple/applets/$id" params={{ id }}>
              <Trans>
                Version {version}, {fileName}
              </Trans>
            </Link>
            <AppletStateBadge state={state} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
