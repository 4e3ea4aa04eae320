import type { Applet } from '@grove/contract/maple/card/applet'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Columns } from '../../../../ui/page/columns.tsx'
import { PageHeader } from '../../../../ui/page/page-header.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { AppletActions } from './applet-actions.tsx'
import { applets, versionsQuery } from './applet.api.ts'
import type { AppletPageSearch } from './applet.search.ts'
import { AppletStateBadge } from './applet.labels.tsx'
import { CapView } from './cap-view.tsx'
import { InstalledSection } from './installed-section.tsx'
import { OperationsSection } from './install/operations-section.tsx'
import { VerificationSection } from './verification/verification-section.tsx'

// Privileges use the decoder's texts.
const InstallSection = onDemand(
  () => import('./install/install-section.tsx').then((file) => file.InstallSection),
  'decode',
)

/** Everything about one applet, which the loader has found. */
export function AppletPage({ id, element }: AppletPageSearch & { id: string }) {
  const { t } = useLingui()
  const { data: applet } = useSuspenseQuery(applets.one(id))
  return (
    <article>
      <PageHeader
        title={`${applet.name} ${applet.version}`}
        badge={<AppletStateBadge state={applet.state} />}
        description={<code>{applet.packageAid}</code>}
        action={<AppletActions applet={applet} />}
      />
      <Columns
        aside={
          <>
            <InstalledSection id={id} />
            <Versions applet={applet} />
            <Section title={t`What it is`}>
              <CapView cap={applet} />
            </Section>
          </>
        }
      >
        <InstallSection applet={applet} element={element} />
        <OperationsSection appletId={id} />
        <VerificationSection applet={applet} />
      </Columns>
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
      <Rows>
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
      </Rows>
    </Section>
  )
}
