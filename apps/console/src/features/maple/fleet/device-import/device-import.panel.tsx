import type { DeviceImport } from '@grove/contract/maple/fleet/device-import'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Ban, Play, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { formatBytes } from '../../../../ui/i18n/format-bytes.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { ItemPanel, type OpenItem } from '../../../../ui/panel/item-panel.tsx'
import { PanelAction } from '../../../../ui/panel/panel-action.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { notify } from '../../../../ui/toast/notify.ts'
import { Person } from '../../../../people/person.tsx'
import { RevertDialog } from '../revert-dialog.tsx'
import { useRevertRefusals } from '../revert-refusals.ts'
import { imports, isLive } from './device-import.api.ts'
import { ImportStateBadge } from './device-import.labels.tsx'
import styles from './device-import.module.css'
import { ImportErrors } from './import-errors.tsx'
import { ImportCountsView } from './import-counts.tsx'
import { MappingForm } from './mapping-form.tsx'

/** One import: its columns, a preview of its effect, its progress and its result. */
export function ImportPanel(panel: OpenItem) {
  const { t } = useLingui()
  const cancel = useCancel()
  const { start, isStarting } = useStart()
  return (
    <ItemPanel
      {...panel}
      query={imports.one(panel.id)}
      title={({ fileName }) => fileName}
      missing={t`There is no import with this ID.`}
      renderActions={(item) => (
        <>
          {item.state === 'checked' && item.checked && (
            <button
              type="button"
              className="button primary"
              aria-disabled={isStarting}
              onClick={() => void start(item)}
            >
              <Play size={16} aria-hidden />
              <Plural
                value={item.checked.created + item.checked.changed}
                one="Import # device"
                other="Import # devices"
              />
            </button>
          )}
          {item.startedAt !== null && !isLive(item) && <RevertImport item={item} />}
          {item.hasFile && item.state !== 'completed' && (
            <PanelAction
              icon={Ban}
              label={isLive(item) ? t`Cancel…` : t`Discard…`}
              onAct={() => void cancel(item)}
            />
          )}
        </>
      )}
    >
      {(item) => <ImportSteps key={item.id} item={item} />}
    </ItemPanel>
  )
}

function RevertImport({ item }: { item: DeviceImport }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const refusals = useRevertRefusals()
  const { id, rights } = item
  return (
    <>
      <PanelAction
        icon={Undo2}
        label={t`Revert this import…`}
        refusal={rights.revert === null ? undefined : refusals[rights.revert]}
        onAct={() => setOpen(true)}
      />
      {isOpen && (
        <RevertDialog
          title={t`Revert this import`}
          text={t`Devices that the import created are deleted, and those that it changed get their former values. This cannot be undone, but the file can be imported again.`}
          ofImport
          overwriteText={t`Retire those that the import created, which is final, and give the others their former values`}
          preview={api.maple.query('/api/maple/device/import/revert', { query: { id } })}
          start={(overwrites) =>
            api.maple.post('/api/maple/device/import/revert', { body: { id, overwrites } })
          }
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

function ImportSteps({ item }: { item: DeviceImport }) {
  const { t, i18n } = useLingui()
  const [isRemapping, setRemapping] = useState(false)
  const canMap = item.hasFile && !isLive(item) && item.state !== 'completed'
  const isMapping = item.state === 'uploaded' || (isRemapping && canMap)
  return (
    <div className={styles.steps}>
      <Progress item={item} />
      {item.state !== 'uploaded' && <ImportCountsView item={item} />}
      {item.failure && (
        <p className={styles.failure} role="alert">
          <Trans>
            The import stopped: <code>{item.failure}</code>. An administrator can retry its job.
          </Trans>
        </p>
      )}
      {item.counts.wrong > 0 && item.state !== 'uploaded' && <ImportErrors item={item} />}
      {isMapping ? (
        <MappingForm item={item} onChecking={() => setRemapping(false)} />
      ) : (
        canMap && (
          <p>
            <button type="button" className="button" onClick={() => setRemapping(true)}>
              <Trans>Change the columns</Trans>
            </button>
          </p>
        )
      )}
      <PanelFacts
        facts={[
          [t`State`, <ImportStateBadge key="state" state={item.state} />],
          [t`Size`, formatBytes(item.bytes, i18n.locale)],
          [
            t`Format`,
            `${item.format === 'csv' ? 'CSV' : 'JSON Lines'}, ${item.encoding.toUpperCase()}`,
          ],
          [t`Uploaded`, <DateText key="uploaded" value={item.createdAt} />],
          [t`Uploaded by`, <Person key="by" id={item.createdBy} isCopyable />],
          [t`Started`, <DateText key="started" value={item.startedAt} />],
          [t`Finished`, <DateText key="finished" value={item.finishedAt} />],
          ...(item.revertedBy === null
            ? []
            : [
                [
                  t`Reverted by`,
                  <Link
                    key="revert"
                    to="/dashboard/maple/changes"
                    search={{ change: item.revertedBy.id }}
                  >
                    <Trans>A bulk change</Trans>
                  </Link>,
                ] as const,
              ]),
        ]}
      />
    </div>
  )
}

function Progress({ item }: { item: DeviceImport }) {
  const { t, i18n } = useLingui()
  if (!isLive(item)) return null
  const done = formatBytes(Math.min(item.done, item.bytes), i18n.locale)
  const total = formatBytes(item.bytes, i18n.locale)
  const label = item.state === 'checking' ? t`Checking every row` : t`Importing the devices`
  return (
    <div className={styles.progress}>
      <strong>{label}</strong>
      <progress aria-label={label} value={item.done} max={Math.max(1, item.bytes)} />
      <p className="muted">
        <Trans>
          {done} of {total}. You can leave this page; the work continues.
        </Trans>
      </p>
    </div>
  )
}

function useStart() {
  const { i18n } = useLingui()
  const [isStarting, setStarting] = useState(false)
  const start = async ({ id }: DeviceImport) => {
    if (isStarting) return
    setStarting(true)
    try {
      void imports.refresh(await api.maple.post('/api/maple/device/import/start', { body: { id } }))
    } catch (error) {
      notify({ kind: 'failure', text: problemText(error, i18n) })
      void imports.refresh()
    }
    setStarting(false)
  }
  return { start, isStarting }
}

function useCancel() {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return (item: DeviceImport) => {
    const { id, state } = item
    const question = {
      checking: {
        title: t`Cancel the check?`,
        text: t`Nothing is written. You can check the file again.`,
        action: t`Cancel the check`,
      },
      running: {
        title: t`Cancel the import?`,
        text: t`Devices already imported stay.`,
        action: t`Cancel the import`,
      },
    }
    const discard = {
      title: t`Discard this file?`,
      text: t`None of its rows will be imported.`,
      action: t`Discard the file`,
    }
    return confirmed({
      question: {
        ...(state === 'checking' || state === 'running' ? question[state] : discard),
        isDanger: true,
      },
      change: () => api.maple.post('/api/maple/device/import/cancel', { body: { id } }),
      done: () => (isLive(item) ? t`The work is cancelled.` : t`The file is discarded.`),
      refresh: () => imports.refresh(),
    })
  }
}
