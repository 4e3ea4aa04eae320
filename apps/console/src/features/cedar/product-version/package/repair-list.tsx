import type { Repair } from '@grove/contract/cedar/package-report'
import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import styles from './repair-list.module.css'

interface RepairListProps {
  repairs: readonly Repair[]
  isDone: boolean
}

/** Changes to an archive, planned or made, each with the first files it affects. */
export function RepairList({ repairs, isDone }: RepairListProps) {
  return (
    <ul className={styles.repairs}>
      {repairs.map((repair) => (
        <li key={repair.kind}>
          <details>
            <summary>{isDone ? <Done {...repair} /> : <Planned {...repair} />}</summary>
            <Examples {...repair} />
          </details>
        </li>
      ))}
    </ul>
  )
}

function Planned({ kind, count }: Repair) {
  switch (kind) {
    case 'root-folder':
      return (
        <Plural
          value={count}
          one="Move # file out of the folder, to the root of the package"
          other="Move # files out of the folder, to the root of the package"
        />
      )
    case 'backslashes':
      return (
        <Plural
          value={count}
          one="Write “/” instead of “\” in # path"
          other="Write “/” instead of “\” in # paths"
        />
      )
    case 'system-files':
      return (
        <Plural
          value={count}
          one="Leave out # file that macOS or Windows added"
          other="Leave out # files that macOS or Windows added"
        />
      )
  }
}

function Done({ kind, count }: Repair) {
  switch (kind) {
    case 'root-folder':
      return (
        <Plural
          value={count}
          one="Moved # file to the root of the package"
          other="Moved # files to the root of the package"
        />
      )
    case 'backslashes':
      return (
        <Plural
          value={count}
          one="Wrote “/” instead of “\” in # path"
          other="Wrote “/” instead of “\” in # paths"
        />
      )
    case 'system-files':
      return (
        <Plural
          value={count}
          one="Left out # file that macOS or Windows added"
          other="Left out # files that macOS or Windows added"
        />
      )
  }
}

function Examples({ count, examples }: Repair) {
  const { t } = useLingui()
  const more = count - examples.length
  return (
    <ul className={styles.examples}>
      {examples.map(({ from, to }) => (
        <li key={from}>
          <code>
            <bdi>{from}</bdi>
          </code>
          {to === null ? (
            <span className="muted">{t`left out`}</span>
          ) : (
            <>
              <ArrowRight size={14} aria-label={t`becomes`} />
              <code>
                <bdi>{to}</bdi>
              </code>
            </>
          )}
        </li>
      ))}
      {more > 0 && (
        <li className="muted">
          <Plural value={more} one="and # more" other="and # more" />
        </li>
      )}
    </ul>
  )
}
