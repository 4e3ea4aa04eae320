import type { AppletTarget } from '@grove/contract/maple/card/applet-operation'
import { chipNumber } from '@grove/secure-element/cplc'
import { Trans } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Link } from '../../../../ui/link/link.tsx'
import { TargetStateBadge } from './batch.labels.tsx'
import styles from './batch.module.css'

type Target = Pick<AppletTarget, 'cplc' | 'state' | 'sessionId'>

interface BatchTargetsProps<Each extends Target> {
  label: string
  targets: readonly Each[] | undefined
  /** Extra text about one, besides its state. */
  children: (target: Each) => ReactNode
}

/** The elements of an operation, each with its session and its result. */
export const BatchTargets = <Each extends Target>(props: BatchTargetsProps<Each>) => (
  <ul className={styles.targets} aria-label={props.label}>
    {props.targets?.map((target) => {
      const { cplc, state, sessionId: id } = target
      return (
        <li key={cplc}>
          <div className={styles.line}>
            <span>
              <Link to="/dashboard/maple/secure_elements/$cplc" params={{ cplc }} preload={false}>
                {chipNumber(cplc)}
              </Link>{' '}
              {id && (
                <Link to="/dashboard/maple/sessions/se/$id" params={{ id }} preload={false}>
                  <Trans>Session</Trans>
                </Link>
              )}
            </span>
            <TargetStateBadge state={state} />
          </div>
          {props.children(target)}
        </li>
      )
    })}
  </ul>
)
