import type { RolloutPlan } from '@grove/contract/maple/rollout/rollout'
import { groupSizes } from '@grove/contract/maple/rollout/rollout.rules'
import { useLingui } from '@lingui/react/macro'
import { useGroupName } from './page.labels.tsx'
import styles from './wave-picture.module.css'

interface WavePictureProps {
  plan: Pick<RolloutPlan, 'canaries' | 'groups'>
  /** The number of devices; undefined while unknown. */
  total: number | undefined
}

/** The groups as growing steps: how many devices have the program after each. */
export function WavePicture({ plan, total }: WavePictureProps) {
  const { t, i18n } = useLingui()
  const nameOf = useGroupName()
  const { canaries, groups } = plan
  const all = total ?? 100
  const sizes = groupSizes(all, groups)
  const steps = sizes.map((size, index) => {
    const upTo = sizes.slice(0, index + 1).reduce((sum, each) => sum + each, 0)
    const { by = 'rest', amount = 0 } = groups[index] ?? {}
    const count =
      total === undefined
        ? by === 'share'
          ? `${amount} %`
          : by === 'count'
            ? i18n.number(amount)
            : t`the rest`
        : i18n.number(size)
    return { number: index + 1, count, height: all === 0 ? 0 : upTo / all }
  })
  if (canaries.length > 0)
    steps.unshift({ number: 0, count: i18n.number(canaries.length), height: 0.04 })
  return (
    <ol className={styles.waves} aria-label={t`Groups in their order`}>
      {steps.map(({ number, count, height }) => (
        <li key={number}>
          <span className={styles.space} aria-hidden>
            <span style={{ height: `${Math.max(4, Math.round(height * 100))}%` }} />
          </span>
          <strong>{count}</strong>
          <small className="muted">{nameOf(number)}</small>
          {groups[number - 1]?.pausesAfter && <small>{t`then by hand`}</small>}
        </li>
      ))}
    </ol>
  )
}
