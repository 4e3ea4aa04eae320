import { useLingui } from '@lingui/react/macro'
import { problemText } from '../../api/problem-text.ts'
import styles from './data-table.module.css'

interface TableFailureProps {
  span: number
  error: unknown
  onRetry: () => void
}

export function TableFailure({ span, error, onRetry }: TableFailureProps) {
  const { i18n, t } = useLingui()
  return (
    <tr>
      <td colSpan={span} className={styles.message}>
        <p role="alert">{problemText(error, i18n)}</p>
        <button type="button" className="button" onClick={onRetry}>
          {t`Try again`}
        </button>
      </td>
    </tr>
  )
}
