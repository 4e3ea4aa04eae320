import { errorsOf, type Counts } from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import styles from './progress-bar.module.css'

/** The progress of devices, as parts of one bar; its text says the same. */
export function ProgressBar({ counts, label }: { counts: Counts; label: string }) {
  const { t, i18n } = useLingui()
  const { total, succeeded, running, skipped, cancelled } = counts
  const errors = errorsOf(counts)
  const parts = [
    ['succeeded', succeeded],
    ['failed', errors],
    ['running', running],
    ['skipped', skipped + cancelled],
  ] as const
  const all = i18n.number(total)
  const done = i18n.number(succeeded)
  const wrong = i18n.number(errors)
  const text =
    errors > 0 ? t`${done} of ${all} succeeded, ${wrong} failed` : t`${done} of ${all} succeeded`
  return (
    <div
      className={styles.bar}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the HTML element has only one part
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={total - counts.queued - running}
      aria-valuetext={text}
    >
      {parts.map(
        ([kind, count]) =>
          count > 0 && <span key={kind} data-kind={kind} style={{ flexGrow: count }} />,
      )}
      <span data-kind="queued" style={{ flexGrow: total === 0 ? 1 : counts.queued }} />
    </div>
  )
}

/** The colour of a part of the bar, shown beside its number. */
export const PartMark = ({ kind }: { kind: string }) => (
  <i className={styles.mark} data-kind={kind} aria-hidden />
)
