import type { Preview } from '@grove/contract/cedar/preview'
import { Trans, useLingui } from '@lingui/react/macro'
import type { Answer } from './preview-channel.ts'
import styles from './permission-list.module.css'

interface PermissionListProps {
  permissions: Preview['permissions']
  answers: Record<string, Answer>
  onAnswer: (name: string, answer: Answer) => void
}

/** The permissions that the manifest requests, and the answer the app gets for each. */
export function PermissionList({ permissions, answers, onAnswer }: PermissionListProps) {
  const { t } = useLingui()
  if (permissions.length === 0)
    return (
      <p className="muted">
        <Trans>The manifest requests no permissions.</Trans>
      </p>
    )
  return (
    <div className={styles.permissions}>
      <p className="muted">
        <Trans>
          A preview has no camera, location or other device. Choose what{' '}
          <code>grove.permission()</code> answers.
        </Trans>
      </p>
      <ul>
        {permissions.map(({ name, reason }) => (
          <li key={name}>
            <span>
              <code>
                <bdi>{name}</bdi>
              </code>
              {reason !== null && (
                <span className="muted">
                  <bdi>{reason}</bdi>
                </span>
              )}
            </span>
            <select
              className="select"
              aria-label={t`Answer to ${name}`}
              value={answers[name]}
              onChange={({ target }) => onAnswer(name, target.value as Answer)}
            >
              <option value="granted">{t`Granted`}</option>
              <option value="denied">{t`Denied`}</option>
            </select>
          </li>
        ))}
      </ul>
    </div>
  )
}
