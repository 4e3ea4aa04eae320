import { Trans, useLingui } from '@lingui/react/macro'
import { CircleHelp, TriangleAlert } from 'lucide-react'
import { problemText } from '../../../../../api/problem-text.ts'
import styles from '../../command/command.module.css'
import type { SendFailure } from './use-send.ts'

/** Why a command was not sent, or which outcome is unknown. */
export function SendProblem({ problem }: { problem: SendFailure | undefined }) {
  const { i18n } = useLingui()
  if (!problem) return null
  const isUnknown = 'ran' in problem && problem.ran.state === 'unknown'
  return (
    <p className={styles.problem} role="alert">
      {isUnknown ? <CircleHelp size={16} aria-hidden /> : <TriangleAlert size={16} aria-hidden />}
      <span>
        {isUnknown && (
          <Trans>
            There was no definite answer: the card may or may not have run the command. It is not
            sent again.
          </Trans>
        )}
        {'error' in problem && problemText(problem.error, i18n)}{' '}
        {'ran' in problem && problem.ran.problem?.message}
      </span>
    </p>
  )
}
