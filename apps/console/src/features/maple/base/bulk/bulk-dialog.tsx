import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { problemText } from '../../../../api/problem-text.ts'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import progressStyles from '../bulk-progress.module.css'
import styles from './bulk-dialog.module.css'
import { canSucceedLater, runBulk, type BulkEnd, type BulkFailure } from './run-bulk.ts'

export interface BulkJob {
  title: string
  ids: readonly string[]
  change: (id: string) => Promise<unknown>
  /** Refetches what was changed. */
  refresh: () => unknown
  /** A name to show instead of an ID, if the page has it. */
  nameOf: (id: string) => string | undefined
}

interface BulkDialogProps {
  job: BulkJob
  /** Complete when all were changed. */
  onClose: (isComplete: boolean) => void
}

/** Runs a job: its progress, a button to stop it, and at the end what was refused and why. */
export function BulkDialog({ job, onClose }: BulkDialogProps) {
  const { t } = useLingui()
  const stop = useRef<AbortController>(undefined)
  const [progress, setProgress] = useState(() => untouched(job.ids))
  const [phase, setPhase] = useState<'running' | 'stopping' | 'ended'>('running')
  const { total, done, failed, failures, left } = progress
  const again = [...failures.filter(canSucceedLater).map(({ id }) => id), ...left]
  const retryCount = again.length
  const refused = failures.filter((failure) => !canSucceedLater(failure)).length
  const untouchedCount = left.length

  const run = async (ids: readonly string[]) => {
    const own = new AbortController()
    stop.current = own
    const step = (now: object) => setProgress((before) => ({ ...before, ...now }))
    const end = await runBulk(ids, job.change, step, own.signal)
    setProgress(end)
    setPhase('ended')
    void job.refresh()
  }
  const start = useEffectEvent(() => void run(job.ids))

  useEffect(() => {
    // oxlint-disable-next-line react/set-state-in-effect -- what it sets arrives with the first answer
    start()
    return () => stop.current?.abort()
  }, [])

  const runAgain = () => {
    setPhase('running')
    setProgress(untouched(again))
    void run(again)
  }
  const halt = () => {
    stop.current?.abort()
    setPhase('stopping')
  }
  const close = () => {
    if (phase === 'running') halt()
    else if (phase === 'ended') onClose(done === total)
  }

  return (
    <Dialog title={job.title} onClose={close}>
      <div className={progressStyles.content}>
        <progress max={total} value={done + failed} aria-label={job.title} />
        <output className={progressStyles.counts}>
          <span>
            <Trans>
              {done} of {total} done
            </Trans>
          </span>
          {phase !== 'ended' && failed > 0 && (
            <span className={progressStyles.failed}>
              <Trans>{failed} failed</Trans>
            </span>
          )}
          {phase === 'ended' && refused > 0 && (
            <span className={progressStyles.failed}>
              <Plural value={refused} one="# refused" other="# refused" />
            </span>
          )}
          {phase === 'ended' && failed > refused && (
            <span className={progressStyles.failed}>
              <Plural value={failed - refused} one="# failed" other="# failed" />
            </span>
          )}
          {phase === 'ended' && left.length > 0 && (
            <span>
              <Trans>{untouchedCount} not processed</Trans>
            </span>
          )}
        </output>
        <Failures failures={failures} nameOf={job.nameOf} />
        <div className="dialog-actions">
          {phase === 'ended' ? (
            <>
              {retryCount > 0 && (
                <button type="button" className="button" onClick={runAgain}>
                  <Plural value={retryCount} one="Try # again" other="Try # again" />
                </button>
              )}
              <button
                type="button"
                className="button primary"
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the end of what the reader was waiting for
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
    </Dialog>
  )
}

const untouched = (ids: readonly string[]): BulkEnd => ({
  total: ids.length,
  done: 0,
  failed: 0,
  failures: [],
  left: ids,
})

/** With more items than this, only the reason is shown. */
const maxNamed = 20

interface FailuresProps extends Pick<BulkJob, 'nameOf'> {
  failures: readonly BulkFailure[]
}

/** Each distinct reason, with the items it applies to. */
function Failures({ failures, nameOf }: FailuresProps) {
  const { i18n } = useLingui()
  if (failures.length === 0) return null
  const byReason = new Map<string, string[]>()
  for (const { id, error } of failures) {
    const reason = problemText(error, i18n)
    byReason.set(reason, [...(byReason.get(reason) ?? []), id])
  }
  return (
    <ul className={styles.failures}>
      {[...byReason].map(([reason, ids]) => (
        <li key={reason}>
          <p>{reason}</p>
          {ids.slice(0, maxNamed).map((id) => (
            <div key={id}>
              {nameOf(id) !== undefined && <bdi>{nameOf(id)}</bdi>} <code>{id}</code>
            </div>
          ))}
          {ids.length > maxNamed && (
            <Plural value={ids.length - maxNamed} one="and # more" other="and # more" />
          )}
        </li>
      ))}
    </ul>
  )
}
