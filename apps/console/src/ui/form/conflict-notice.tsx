import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { useId, type ReactNode } from 'react'
import styles from './conflict-notice.module.css'
import { valueAt } from './form-values.ts'
import type { EditForm } from './use-edit-form.ts'

interface ConflictNoticeProps<V extends object> {
  form: EditForm<V>
  labelOf: (path: string) => ReactNode
  /** How to show a value that is not text. */
  show?: (value: unknown, path: string) => ReactNode
  /** The same for a value that is shown in full, below the choice. */
  renderWhole?: (value: unknown, path: string) => ReactNode
}

/** Someone else saved first: shows both sides of each conflicting field, to choose one. */
export function ConflictNotice<V extends object>(props: ConflictNoticeProps<V>) {
  const { form, labelOf, show, renderWhole } = props
  const { conflict, choose } = form
  if (!conflict) return null
  const shown = (values: V, path: string): Side => {
    const value = valueAt(values, path)
    const whole = renderWhole?.(value, path)
    return whole === undefined
      ? { short: show?.(value, path) ?? <Text value={value} /> }
      : { whole }
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

interface Side {
  short?: ReactNode
  whole?: ReactNode
}

interface ChoiceProps {
  label: ReactNode
  theirs: Side
  mine: Side
  chosen: 'mine' | 'theirs' | undefined
  isMissing: boolean
  onChoose: (side: 'mine' | 'theirs') => void
}

function Choice({ label, theirs, mine, chosen, isMissing, onChoose }: ChoiceProps) {
  const { t } = useLingui()
  const id = useId()
  const side = (name: 'mine' | 'theirs', text: string, { short, whole }: Side) => (
    <>
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
          {short && <span className={styles.value}>{short}</span>}
        </span>
      </label>
      {whole}
    </>
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
