import type { AppletOperation, AppletTarget } from '@grove/contract/maple/card/applet-operation'
import { icSerial } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Ban, RotateCw } from 'lucide-react'
import { api } from '../../../../../session/api.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Section } from '../../../../../ui/page/section.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import { PanelAction } from '../../../../../ui/panel/panel-action.tsx'
import { useAttempt } from '../../../../../ui/toast/use-attempt.ts'
import { refreshCards, useEnded } from '../../../base/use-ended.ts'
import { BatchTargets } from '../../batch/batch-targets.tsx'
import batchStyles from '../../batch/batch.module.css'
import { BatchStateBadge } from '../../batch/batch.labels.tsx'
import { isLive, operationsQuery, refreshOperations, targetsQuery } from '../applet.api.ts'
import { useOperationWords } from '../applet.labels.tsx'
import { Findings } from './findings.tsx'
import styles from './install.module.css'

/** Where the progress of an operation is shown. */
export const operationsId = 'operations'

/** The operations on an applet, newest first; running ones are followed. */
export function OperationsSection({ appletId }: { appletId: string }) {
  const { t } = useLingui()
  const { data } = useQuery(operationsQuery(appletId))
  // What is installed where has changed, and a card may have stopped accepting keys.
  useEnded(data?.items, isLive, () => Promise.all([refreshOperations(), refreshCards()]))
  return (
    <Section id={operationsId} title={t`What was done`}>
      {data?.items.length === 0 && (
        <p className="muted">
          <Trans>Nothing yet.</Trans>
        </p>
      )}
      {data?.items.map((operation, index) => (
        <Operation key={operation.id} operation={operation} isOpen={index === 0} />
      ))}
    </Section>
  )
}

function Operation({ operation, isOpen }: { operation: AppletOperation; isOpen: boolean }) {
  const { t } = useLingui()
  const attempt = useAttempt()
  const { kinds } = useOperationWords()
  const { id, total, succeeded, unchanged, failed, domain, approval } = operation
  const { data } = useQuery({ ...targetsQuery(id, isLive(operation)), enabled: isOpen })
  const act = async (work: () => Promise<unknown>) => {
    await attempt(work)
    await refreshOperations()
  }
  const params = { id }
  return (
    <div className={styles.operation}>
      <div className={batchStyles.line}>
        <strong>{kinds[operation.kind]}</strong>
        {approval?.state === 'pending' ? (
          <StateBadge kind="waiting" text={t`Waiting for approval`} />
        ) : (
          <BatchStateBadge {...operation} />
        )}
      </div>
      <p className="muted">
        <DateText value={operation.createdAt} />
        {' · '}
        {t`${plural(total, { one: '# element', other: '# elements' })}: ${succeeded} succeeded, ${unchanged} unchanged, ${failed} failed`}
      </p>
      {domain !== null && (
        <p className="muted">
          <Trans>
            In the name of the security domain <code>{domain}</code>
          </Trans>
        </p>
      )}
      {approval && (
        <p>
          <Link to="/dashboard/maple/approvals" search={{ request: approval.id }} preload={false}>
            <Trans>See the request</Trans>
          </Link>
        </p>
      )}
      {isOpen && (
        <>
          <BatchTargets label={t`Elements of the operation`} targets={data?.items}>
            {(target) => <Target target={target} />}
          </BatchTargets>
          <div className="actions">
            {operation.rights.cancel === null && (
              <PanelAction
                icon={Ban}
                label={approval?.state === 'pending' ? t`Cancel` : t`Cancel after this element`}
                onAct={() =>
                  void act(() =>
                    api.maple.post('/api/maple/applets/operation/{id}/cancel', { params }),
                  )
                }
              />
            )}
            {operation.rights.retry === null && (
              <PanelAction
                icon={RotateCw}
                label={t`Run again for the rest`}
                onAct={() =>
                  void act(() =>
                    api.maple.post('/api/maple/applets/operation/{id}/retry', { params }),
                  )
                }
              />
            )}
          </div>
        </>
      )}
    </div>
  )
}

function Target({ target }: { target: AppletTarget }) {
  const { t } = useLingui()
  const { steps } = useOperationWords()
  const { cplc, state, step, sent, blocks, findings } = target
  const serial = icSerial(cplc)
  return (
    <>
      {state === 'running' && step && <small className="muted">{steps[step]}…</small>}
      {state === 'running' && blocks > 0 && (
        <progress aria-label={t`Loading on ${serial}`} value={sent} max={blocks} />
      )}
      <Findings findings={findings} />
    </>
  )
}
