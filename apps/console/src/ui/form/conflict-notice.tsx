import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import styles from './conflict-notice.module.css'
import { valueAt } from './form-values.ts'
import type { EditForm } from './use-edit-form.ts'

interface ConflictNoticeProps<V extends object> {
  form: EditForm<V>
  labelOf: (path: string) => ReactNode
  /** How a value reads, where it is not text. */
  show?: (value: unknown, path: string) => ReactNode
}

/** Someone else saved first: both sides of each field that clashes, to choose one of. */
export function ConflictNotice<V extends object>({ form, labelOf, show }: ConflictNoticeProps<V>) {
  const { conflict, choose } = form
  if (!conflict) return null
  const shown = (values: V, path: string) => {
    const value = valueAt(values, path)
    return show?.(value, path) ?? <Text value={value} />
  }
  return (
    <div className={styles.notice} role="alert">
      <p className={styles.title} tabIndex={-1} data-problem>
        <TriangleAlert size={16} aria-hidden />
        <Trans>
          Someone else saved changes while you were editing. Choose what to keep, then save again.
        </Trans>
      </p>
      {conflict.paths.map((path) => (
        <Choice
          key={path}
          label={labelOf(path)}
          theirs={shown(conflict.theirs.values, path)}
          mine={shown(conflict.mine, path)}
          chosen={conflict.chosen[path]}
          isMissing={form.errors[`conflict.${path}`] !== undefined}
          onChoose={(side) => choose(path, side)}
        />
      ))}
    </div>
  )
}

interface ChoiceProps {
  label: ReactNode
  theirs: ReactNode
  mine: ReactNode
  chosen: 'mine' | 'theirs' | undefined
  isMissing: boolean
  onChoose: (side: 'mine' | 'theirs') => void
}

function Choice({ label, theirs, mine, chosen, isMissing, onChoose }: ChoiceProps) {
  const { t } = useLingui()
  const id = useId()
  const side = (name: 'mine' | 'theirs', text: string, value: ReactNode) => (
    <label htmlFor={`${id}-${name}`}>
      <input
        type="radio"
        id={`${id}-${name}`}
        name={id}
        checked={chosen === name}
        onChange={() => onChoose(name)}
      />
      <span>
        {text}
        <span className={styles.value}>{value}</span>
      </span>
    </label>
  )
  return (
    <fieldset
      className={`choice ${styles.choice}`}
      role="radiogroup"
      aria-invalid={isMissing ? true : undefined}
      tabIndex={-1}
    >
      <legend>{label}</legend>
      {side('theirs', t`Theirs`, theirs)}
      {side('mine', t`Yours`, mine)}
    </fieldset>
  )
}

const Text = ({ value }: { value: unknown }) =>
  typeof value === 'string' && value !== '' ? (
    <bdi>{value}</bdi>
  ) : (
    <em>
      <Trans>empty</Trans>
    </em>
  )
