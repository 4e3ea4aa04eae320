import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { useDevicesPage } from '../devices-page.ts'
import styles from './device-import.module.css'

/** The counts of new, changed, unchanged and invalid devices, so far or in the end. */
export function ImportCountsView({ item }: { item: DeviceImport }) {
  const { t, i18n } = useLingui()
  const devicesPage = useDevicesPage()
  const { counts, state } = item
  const isPlan = state === 'checking' || state === 'checked'
  const facts = [
    [
      isPlan ? t`Would be new` : t({ message: 'New', context: 'rows of an import' }),
      counts.created,
    ],
    [
      isPlan ? t`Would change` : t({ message: 'Changed', context: 'rows of an import' }),
      counts.changed,
    ],
    [t({ message: 'Unchanged', context: 'rows of an import' }), counts.unchanged],
    [t({ message: 'Wrong', context: 'rows of an import' }), counts.wrong],
  ] as const
  return (
    <section aria-label={isPlan ? t`What an import would do` : t`What was imported`}>
      <dl className={styles.counts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{i18n.number(value)}</dd>
          </div>
        ))}
      </dl>
      {state === 'checked' && (
        <p className="muted">
          {counts.wrong > 0 ? (
            <Trans>Nothing is written yet. Invalid rows are not imported.</Trans>
          ) : (
            <Trans>Nothing is written yet.</Trans>
          )}
        </p>
      )}
      {state === 'completed' && counts.created + counts.changed > 0 && (
        <p>
          <Link to={devicesPage} search={{ importId: [item.id] }}>
            <Trans>Show the devices that it created or changed</Trans>
          </Link>
        </p>
      )}
    </section>
  )
}
