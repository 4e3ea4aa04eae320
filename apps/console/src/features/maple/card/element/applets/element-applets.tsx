import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../../../../session/api.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Combobox } from '../../../../../ui/kit/combobox.tsx'
import type { ComboboxOption } from '../../../../../ui/kit/combobox-options.ts'
import { Link } from '../../../../../ui/link/link.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { CardMemory } from './card-memory.tsx'
import styles from './element-applets.module.css'

const search = async (query: string, signal: AbortSignal): Promise<ComboboxOption[]> => {
  const { items } = await api.maple.get('/api/maple/applets', {
    query: { limit: 20, ...(query && { q: query }) },
    signal,
  })
  return items
    .filter(({ rights }) => rights.install === null)
    .map(({ id, name, version, packageAid }) => ({
      id,
      label: `${name} ${version}`,
      note: packageAid,
    }))
}

/** The package of security domains (GlobalPlatform), which have their own section. */
const domainPackage = 'A0000001515350'

/**
 * The packages on an element, according to the last reading or operation, and a button to install
 * another.
 */
export function ElementApplets({ element: { cplc, state } }: { element: SecureElement }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { data } = useQuery(api.maple.query('/api/maple/se/applets', { query: { cplc } }))
  const packages = data?.items.filter(({ packageAid }) => packageAid !== domainPackage) ?? []
  const install = (applet: ComboboxOption | null) =>
    applet &&
    void navigate({
      to: '/dashboard/maple/applets/$id',
      params: { id: applet.id },
      search: { element: cplc },
    })
  return (
    <Section
      id="applets"
      title={t`Applets`}
      action={
        state !== 'terminated' && (
          <div className={styles.install}>
            <Combobox
              label={t`Install an applet`}
              placeholder={t`Install an applet…`}
              value={null}
              options={search}
              onChange={install}
            />
          </div>
        )
      }
    >
      {data?.readAt === null && (
        <p className="muted">
          <Trans>Unknown: the card has never been read.</Trans>
        </p>
      )}
      {data?.readAt && packages.length === 0 && (
        <p className="muted">
          <Trans>No applets on the card.</Trans>
        </p>
      )}
      {data && <CardMemory items={data.items} freeMemory={data.freeMemory} />}
      <ul className={styles.applets}>
        {packages.map(({ packageAid, version, name, appletId, instances, sessionId }) => (
          <li key={packageAid}>
            <div>
              {appletId ? (
                <Link to="/dashboard/maple/applets/$id" params={{ id: appletId }} preload={false}>
                  {name} {version}
                </Link>
              ) : (
                <code>
                  {packageAid} {version}
                </code>
              )}
              {sessionId !== null && (
                <>
                  {' · '}
                  <Link
                    to="/dashboard/maple/sessions/se/$id"
                    params={{ id: sessionId }}
                    preload={false}
                  >
                    <Trans>Session that installed it</Trans>
                  </Link>
                </>
              )}
            </div>
            {instances.map(({ aid, state: own }) => (
              <div key={aid}>
                <code>{aid}</code> <span className="muted">{own}</span>
              </div>
            ))}
          </li>
        ))}
      </ul>
      {data?.readAt && (
        <p className="muted">
          <Trans>
            As of <DateText value={data.readAt} />
          </Trans>
        </p>
      )}
    </Section>
  )
}
