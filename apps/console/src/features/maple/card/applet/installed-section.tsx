import { chipNumber } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { Rows } from '../../../../ui/page/rows.tsx'
import { Section } from '../../../../ui/page/section.tsx'
import { installedQuery, maxShown } from './applet.api.ts'

/** The elements that have an applet, according to the last reading or operation. */
export function InstalledSection({ id }: { id: string }) {
  const { t } = useLingui()
  const { data } = useQuery(installedQuery(id))
  return (
    <Section title={t`Installed on`}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>No elements known to Grove.</Trans>
        </p>
      )}
      <Rows>
        {data?.items.map(({ cplc, device, instances, readAt }) => (
          <li key={cplc}>
            <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
              {device ? `${device.name} · ${chipNumber(cplc)}` : chipNumber(cplc)}
            </Link>
            <span className="muted">
              {instances.map(({ aid }) => aid).join(', ')} <DateText value={readAt} />
            </span>
          </li>
        ))}
      </Rows>
      {data?.next && (
        <p className="muted">
          <Trans>The first {maxShown} are shown.</Trans>
        </p>
      )}
    </Section>
  )
}
