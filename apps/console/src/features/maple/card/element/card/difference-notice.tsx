import type { SecureElement } from '@grove/contract/maple/fleet/element'
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

/** How the card differed from Grove’s records when it was read, until somebody has looked. */
export function DifferenceNotice({ element: { cplc, difference } }: { element: SecureElement }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  if (!difference) return null
  const { at, sessionId, state, added, changed, removed } = difference
  const domains = [
    [t`New security domains`, added],
    [t`Changed security domains`, changed],
    [t`Missing security domains`, removed],
  ] as const
  const acknowledge = async () => {
    await attempt(() => api.maple.post('/api/maple/se/card/difference', { body: { cplc } }))
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
        {domains.map(
          ([name, aids]) =>
            aids.length > 0 && (
              <li key={name}>
                {name}: <code>{aids.join(' ')}</code>
              </li>
            ),
        )}
      </ul>
      <PanelAction icon={Check} label={t`I have looked at this`} onAct={() => void acknowledge()} />
    </div>
  )
}
