import type { DeviceBulk } from '@grove/contract/maple/fleet/device-bulk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useRouteContext } from '@tanstack/react-router'
import { Ban, Download, Play, Undo2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Person } from '../../../../people/person.tsx'
import { invalidate } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { useSave } from '../../../../ui/file/use-save.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { useAttempt } from '../../../../ui/toast/use-attempt.ts'
import { bulks, isUnderWay } from './bulk.api.ts'
import { useRevertRefusals } from '../revert-refusals.ts'
import { RevertDialog } from '../revert-dialog.tsx'
import styles from './bulk.panel.module.css'
import { BulkStateBadge, useChangeText, useFilterText } from './bulk.labels.tsx'

/** One bulk change: its progress, its results, and the actions to revert or continue it. */
export function BulkPanel(panel: OpenItem) {
  const { t } = useLingui()
  const changeText = useChangeText()
  return (
    <ItemPanel
      {...panel}
      query={bulks.one(panel.id)}
      title={changeText}
      missing={t`There is no bulk change with this ID among those that you can see.`}
      renderActions={(bulk) => <BulkPanelActions key={bulk.id} bulk={bulk} />}
    >
      {(bulk) => <BulkFacts key={bulk.id} bulk={bulk} />}
    </ItemPanel>
  )
}

function BulkPanelActions({ bulk }: { bulk: DeviceBulk }) {
  const { t } = useLingui()
  const [isReverting, setReverting] = useState(false)
  const refusals = useRevertRefusals()
  const confirmed = useConfirmed()
  const attempt = useAttempt()
  const { id, jobId, rights } = bulk
  const params = { id }
  if (isUnderWay(bulk))
    return (
      <PanelAction
        icon={Ban}
        label={t`Cancel…`}
        onAct={() =>
          void confirmed({
            question: {
              title: t`Cancel the change?`,
              text: t`Devices changed by then stay changed. You can continue with the rest, or revert.`,
              action: t`Cancel the change`,
              isDanger: true,
            },
            change: async () => {
              if (jobId !== null)
                await api.maple.post('/api/maple/job/{id}/cancel', { params: { id: jobId } })
            },
            done: () => t`The change is cancelled.`,
            refresh: () => bulks.refresh(),
          })
        }
      />
    )
  return (
    <>
      {rights.continue === null && (
        <PanelAction
          icon={Play}
          isPrimary
          label={t`Continue with the rest`}
          onAct={() =>
            void attempt(async () => {
              void bulks.refresh(
                await api.maple.post('/api/maple/device/bulk/{id}/continue', { params }),
              )
            })
          }
        />
      )}
      <PanelAction
        icon={Undo2}
        label={t`Revert this change…`}
        refusal={rights.revert === null ? undefined : refusals[rights.revert]}
        onAct={() => setReverting(true)}
      />
      {isReverting && (
        <RevertDialog
          title={t`Revert this change`}
          text={t`Each device gets the values that the change found. Everything else about it stays.`}
          overwriteText={t`Give them their former values too`}
          preview={api.maple.query('/api/maple/device/bulk/{id}/revert', { params })}
          start={(overwrites) =>
            api.maple.post('/api/maple/device/bulk/{id}/revert', { params, body: { overwrites } })
          }
          onClose={() => setReverting(false)}
        />
      )}
    </>
  )
}

function BulkFacts({ bulk }: { bulk: DeviceBulk }) {
  const { t, i18n } = useLingui()
  const filterText = useFilterText()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const { id, total, changed, unchanged, refused, revertedBy, revertsBulkId, revertsImportId } =
    bulk
  useRefreshAtEnd(bulk)
  return (
    <div className={styles.content}>
      <Progress bulk={bulk} />
      <PanelFacts
        facts={[
          [t`State`, <BulkStateBadge key="state" state={bulk.state} />],
          [t`Devices`, total === null ? '–' : i18n.number(total)],
          [t`Changed`, i18n.number(changed)],
          [t`Unchanged`, i18n.number(unchanged)],
          [t`Could not be changed`, i18n.number(refused)],
          ...(revertsBulkId === null && revertsImportId === null
            ? [[t`Filter`, <bdi key="filter">{filterText(bulk)}</bdi>] as const]
            : [
                [
                  t`Reverts`,
                  revertsBulkId === null ? (
                    <Link
                      key="import"
                      to="/dashboard/maple/imports"
                      search={{ import: revertsImportId ?? '' }}
                    >
                      <Trans>An import</Trans>
                    </Link>
                  ) : (
                    <BulkLink key="bulk" id={revertsBulkId}>
                      <Trans>A bulk change</Trans>
                    </BulkLink>
                  ),
                ] as const,
                [
                  t`Devices changed since`,
                  bulk.overwrites ? t`Changed back as well` : t`Left unchanged`,
                ] as const,
              ]),
          ...(revertedBy === null
            ? []
            : [
                [
                  t`Reverted by`,
                  <BulkLink key="revert" id={revertedBy.id}>
                    <Trans>A bulk change</Trans>
                  </BulkLink>,
                ] as const,
              ]),
          [t`Started`, <DateText key="at" value={bulk.createdAt} />],
          [t`Started by`, <Person key="by" id={bulk.createdBy} isCopyable />],
        ]}
      />
      <p className={styles.links}>
        <Results bulk={bulk} />
        {viewer.isAdmin && changed > 0 && (
          <Link
            to="/dashboard/system/events"
            search={{ service: 'maple', partOf: id }}
            preload={false}
          >
            <Trans>Each change in the audit trail</Trans>
          </Link>
        )}
      </p>
    </div>
  )
}

const BulkLink = ({ id, children }: { id: string; children: React.ReactNode }) => (
  <Link to="/dashboard/maple/changes" search={{ change: id }}>
    {children}
  </Link>
)

function Progress({ bulk }: { bulk: DeviceBulk }) {
  const { t, i18n } = useLingui()
  if (!isUnderWay(bulk)) return null
  const { total, changed, unchanged, refused } = bulk
  const done = changed + unchanged + refused
  return (
    <div>
      <progress
        className={styles.progress}
        aria-label={t`Progress`}
        {...(total !== null && { max: Math.max(1, total), value: done })}
      />
      <p className="muted">
        {total !== null && (
          <Trans>
            {i18n.number(done)} of {i18n.number(total)} done.
          </Trans>
        )}{' '}
        <Trans>You can leave this page; the work continues.</Trans>
      </p>
    </div>
  )
}

function Results({ bulk: { id, hasResults, total } }: { bulk: DeviceBulk }) {
  const save = useSave()
  if (!hasResults || !total) return null
  const download = () =>
    save(
      () => api.maple.download('/api/maple/device/bulk/{id}/csv', { params: { id } }),
      'devices.csv',
    )
  return (
    <button type="button" className="button" onClick={() => void download()}>
      <Download size={16} aria-hidden />
      <Trans>Results as CSV</Trans>
    </button>
  )
}

/** The effects of the change show everywhere once it is over. */
function useRefreshAtEnd(bulk: DeviceBulk) {
  const wasUnderWay = useRef(false)
  const is = isUnderWay(bulk)
  useEffect(() => {
    if (wasUnderWay.current && !is) void invalidate('maple', '/api/maple')
    wasUnderWay.current = is
  }, [is])
}
