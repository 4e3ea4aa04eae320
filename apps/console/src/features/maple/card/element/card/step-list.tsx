import type { CardStep, RunCardStep } from '@grove/contract/maple/card/card-operation'
import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { StateBadge } from '../../../../../ui/text/state-badge.tsx'
import { termLabels } from '../../../base/decode/term.labels.ts'
import styles from './step-list.module.css'
import { commandNames, stepKinds, useRefusalCause, useStepWords } from './step-words.ts'

interface StepListProps {
  label: string
  /** With their results, once they have run. */
  steps: readonly (CardStep | RunCardStep)[]
}

/** The commands of an operation in order, each in words and in bytes. */
export function StepList({ label, steps }: StepListProps) {
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map((step, index) => (
        <li key={`${step.kind} ${step.aid} ${index}`}>
          <Step step={step} />
        </li>
      ))}
    </ol>
  )
}

function Step({ step }: { step: CardStep | RunCardStep }) {
  const { i18n, t } = useLingui()
  const { textOf, states } = useStepWords()
  const { kind, privileges, deletes, command } = step
  const granted = privileges?.filter((name) => name !== 'securityDomain') ?? []
  const names = granted.map((name) => i18n._(termLabels[`privilege.${name}`])).join(', ')
  const lost = deletes.join(', ')
  return (
    <>
      <div className={styles.line}>
        <span>{textOf(step)}</span>
        {'state' in step && <StateBadge kind={stepKinds[step.state]} text={states[step.state]} />}
      </div>
      {granted.length > 0 && <p className="muted">{t`Privileges: ${names}`}</p>}
      {deletes.length > 0 && (
        <p className={styles.warning}>
          <TriangleAlert size={14} aria-hidden />
          <Trans>Deleted with it: {lost}</Trans>
        </p>
      )}
      {'state' in step && step.statusWord !== null && (
        <Refusal kind={kind} word={step.statusWord} />
      )}
      <details>
        <summary className="muted">{commandNames[kind]}</summary>
        <code className={styles.bytes}>{command}</code>
      </details>
    </>
  )
}

function Refusal({ kind, word }: { kind: CardStep['kind']; word: string }) {
  const causeOf = useRefusalCause()
  const cause = causeOf(kind, word)
  return (
    <p className="field-error">
      <Trans>The card answered {word}.</Trans> {cause}
    </p>
  )
}
