import { useLingui } from '@lingui/react/macro'
import { ApiProblem, moreOf } from '../../api/problem.ts'
import { problemText } from '../../api/problem-text.ts'
import styles from './data-table.module.css'

interface TableFailureProps {
  span: number
  error: unknown
  onRetry: () => void
  onFirstPage: () => void
}

export function TableFailure({ span, error, onRetry, onFirstPage }: TableFailureProps) {
  const { i18n, t } = useLingui()
  const isLost = error instanceof ApiProblem && error.code === 'bad_cursor'
  return (
    <tr>
      <td colSpan={span} className={styles.message}>
        <p role="alert">{problemText(error, i18n)}</p>
        <button type="button" className="button" onClick={isLost ? onFirstPage : onRetry}>
          {isLost ? t`Go to the first page` : t`Try again`}
        </button>
        {moreOf(error)}
      </td>
    </tr>
  )
}
