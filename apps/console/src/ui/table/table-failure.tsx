import { useLingui } from '@lingui/react/macro'
import { ApiProblem } from '../../api/problem.ts'
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
  return (
    <tr>
      <td colSpan={span} className={styles.message}>
        <p role="alert">{problemText(error, i18n)}</p>
        {error instanceof ApiProblem && error.code === 'bad_cursor' ? (
          <button type="button" className="button" onClick={onFirstPage}>
            {t`Go to the first page`}
          </button>
        ) : (
          <button type="button" className="button" onClick={onRetry}>
            {t`Try again`}
          </button>
        )}
      </td>
    </tr>
  )
}
