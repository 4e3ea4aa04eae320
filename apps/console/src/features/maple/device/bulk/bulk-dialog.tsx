import type { Device } from '@grove/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { refreshDevices } from '../device.api.ts'
import styles from './bulk-dialog.module.css'
import { runBulk, type BulkProgress } from './run-bulk.ts'

export interface BulkJob {
  title: string
  ids: readonly string[]
  change: (id: string) => Promise<unknown>
}

interface BulkDialogProps {
  job: BulkJob
  devices: readonly Device[]
  /** Complete when every device was changed. */
  onClose: (isComplete: boolean) => void
}

/** Runs a job: how far it is, a way to stop it, and afterwards what did not work and why. */
export function BulkDialog({ job, devices, onClose }: BulkDialogProps) {
  const { t } = useLingui()
  const client = useQueryClient()
  const dialog = useRef<HTMLDialogElement>(null)
  const stop = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState(() => untouched(job.ids))
  const [phase, setPhase] = useState<'running' | 'stopping' | 'ended'>('running')
  const { total, done, failures, left } = progress
  const failed = failures.length
  const untouchedCount = left.length

  const run = async (ids: readonly string[]) => {
    const own = new AbortController()
    stop.current = own
    const end = await runBulk(ids, job.change, setProgress, own.signal)
    setProgress(end)
    setPhase('ended')
    void refreshDevices(client)
  }
  const start = useEffectEvent(() => void run(job.ids))

  useEffect(() => {
    dialog.current?.showModal()
    // oxlint-disable-next-line react/set-state-in-effect -- what it sets comes with the first answer
    start()
    return () => stop.current?.abort()
  }, [])

  const runAgain = () => {
    const rest = [...failures.map(({ id }) => id), ...left]
    setPhase('running')
    setProgress(untouched(rest))
    void run(rest)
  }
  const halt = () => {
    stop.current?.abort()
    setPhase('stopping')
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="bulk-title"
      onCancel={(event) => {
        event.preventDefault()
        if (phase === 'running') halt()
        else if (phase === 'ended') onClose(done === total)
      }}
      // A browser may close it on a second Escape whatever was asked.
      onClose={() => {
        halt()
        onClose(done === total)
      }}
    >
      <div className={styles.content}>
        <h2 id="bulk-title">{job.title}</h2>
        <progress max={total} value={done + failures.length} aria-labelledby="bulk-title" />
        <output className={styles.counts}>
          <span>
            <Trans>
              {done} of {total} done
            </Trans>
          </span>
          {failures.length > 0 && (
            <span className={styles.failed}>
              <Trans>{failed} failed</Trans>
            </span>
          )}
          {phase === 'ended' && left.length > 0 && (
            <span>
              <Trans>{untouchedCount} not touched</Trans>
            </span>
          )}
        </output>
        <Failures failures={failures} devices={devices} />
        <div className="dialog-actions">
          {phase === 'ended' ? (
            <>
              {failures.length + left.length > 0 && (
                <button type="button" className="button" onClick={runAgain}>
                  <Trans>Try the rest again</Trans>
                </button>
              )}
              <button
                type="button"
                className="button primary"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the end of what the reader waited for
                autoFocus
                onClick={() => onClose(done === total)}
              >
                <Trans>Close</Trans>
              </button>
            </>
          ) : (
            <button type="button" className="button" disabled={phase === 'stopping'} onClick={halt}>
              {phase === 'stopping' ? t`Stopping…` : t`Stop`}
            </button>
          )}
        </div>
      </div>
    </dialog>
  )
}

const untouched = (ids: readonly string[]): BulkProgress => ({
  total: ids.length,
  done: 0,
  failures: [],
  left: ids,
})

function Failures({
  failures,
  devices,
}: Pick<BulkProgress, 'failures'> & { devices: readonly Device[] }) {
  const { i18n } = useLingui()
  if (failures.length === 0) return null
  const names = new Map(devices.map(({ id, name }) => [id, name]))
  return (
    <ul className={styles.failures}>
      {failures.map(({ id, error }) => (
        <li key={id}>
          {names.has(id) && <bdi>{names.get(id)}</bdi>} <code>{id}</code>
          <p>{problemText(error, i18n)}</p>
        </li>
      ))}
    </ul>
  )
}
