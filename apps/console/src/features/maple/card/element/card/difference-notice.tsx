import type { ElementDifference, SecureElement } from '@grove/contract/maple/fleet/element'
import { Trans, useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { useAttempt } from '../../../../../ui/toast/use-attempt.ts'
import { elements } from '../element.api.ts'
import { ElementStateBadge } from '../element.labels.tsx'
import styles from './card-section.module.css'
import { hexVersion } from '../../hex-version.ts'

/** How the card differed from Grove’s records when it was read, until someone acknowledges it. */
export function DifferenceNotice({ element: { cplc, difference } }: { element: SecureElement }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const listOf = useParts()
  if (!difference) return null
  const { at, sessionId, state } = difference
  const acknowledge = async () => {
    await attempt(() => api.maple.post('/api/maple/se/card/difference', { body: { cplc, at } }))
    await elements.refresh()
  }
  return (
    <div className={styles.notice}>
      <p>
        <Trans>
          <strong>The card differed from Grove’s records</strong> when it was read{' '}
          <DateText value={at} isRelative /> in{' '}
          <Link
            to="/dashboard/maple/sessions/se/$id"
            params={{ id: sessionId }}
            preload={false}
            prefetch="none"
          >
            a session
          </Link>
          . Somebody changed it elsewhere, or the records were wrong. They now have what the card
          says.
        </Trans>
      </p>
      <ul>
        {state && (
          <li>
            <Trans>
              State: <ElementStateBadge state={state.before} /> →{' '}
              <ElementStateBadge state={state.after} />
            </Trans>
          </li>
        )}
        {listOf(difference).map(
          ([name, values]) =>
            values.length > 0 && (
              <li key={name}>
                {name}: <code>{values.join(' ')}</code>
              </li>
            ),
        )}
      </ul>
      <PanelAction icon={Check} label={t`I have looked at this`} onAct={() => void acknowledge()} />
    </div>
  )
}

/** The AIDs or key versions that were new, different or missing. */
function useParts() {
  const { t } = useLingui()
  return ({ domains, applications, loadFiles, keys }: ElementDifference) =>
    [
      [t`New security domains`, domains.added],
      [t`Changed security domains`, domains.changed],
      [t`Missing security domains`, domains.removed],
      [t`New applets`, applications.added],
      [t`Changed applets`, applications.changed],
      [t`Missing applets`, applications.removed],
      [t`New packages`, loadFiles.added],
      [t`Changed packages`, loadFiles.changed],
      [t`Missing packages`, loadFiles.removed],
      ...keys.flatMap(({ domain, added, changed, removed }) =>
        domain === null
          ? ([
              [t`New key versions`, added.map(hexVersion)],
              [t`Changed key versions`, changed.map(hexVersion)],
              [t`Missing key versions`, removed.map(hexVersion)],
            ] as const)
          : ([
              [t`New key versions of ${domain}`, added.map(hexVersion)],
              [t`Changed key versions of ${domain}`, changed.map(hexVersion)],
              [t`Missing key versions of ${domain}`, removed.map(hexVersion)],
            ] as const),
      ),
    ] as const
}
