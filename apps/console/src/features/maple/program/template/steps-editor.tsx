import type { TemplateDryRun } from '@grove/contract/maple/program/template'
import { maxSteps } from '@grove/contract/maple/program/template.rules'
import {
  problemsOfTemplate,
  stepKinds,
  type StepKind,
  type TemplateContent,
  type TemplateStep,
} from '@grove/contract/maple/program/template-step.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight, Plus, Trash2 } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { iconName } from '../../../../ui/kit/tooltip.ts'
import { Section } from '../../../../ui/page/section.tsx'
import { StateBadge } from '../../../../ui/text/state-badge.tsx'
import { ScriptActions } from './script/script-actions.tsx'
import { movedStep, newAction } from './step-input.ts'
import { StepForm } from './step-form.tsx'
import { problemsAt, stepLabel, aboutOf } from './step.labels.ts'
import { templateProblems } from '../template-values/template-problems.ts'
import styles from './template.module.css'

interface StepsEditorProps {
  /** The template's name. */
  name: string
  content: TemplateContent
  onChange: (steps: TemplateStep[]) => void
  /** The result of each step in the latest dry run. */
  tried: TemplateDryRun | undefined
}

/** The steps in order: added, moved by button or key, changed and removed. */
export function StepsEditor({ name: title, content, onChange, tried }: StepsEditorProps) {
  const { t, i18n } = useLingui()
  const { steps } = content
  const [open, setOpen] = useState<number>()
  const [kind, setKind] = useState<StepKind>('MplSelect')
  const [said, setSaid] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const problems = problemsOfTemplate(content)

  const focusStep = (index: number) =>
    requestAnimationFrame(() =>
      list.current?.querySelectorAll<HTMLElement>(`.${styles.stepHead ?? ''}`)[index]?.focus(),
    )
  const move = (from: number, to: number) => {
    if (to < 0 || to >= steps.length) return
    onChange(movedStep(steps, from, to))
    if (open === from) setOpen(to)
    else if (open === to) setOpen(from)
    setSaid(t`Moved to place ${to + 1} of ${steps.length}.`)
    focusStep(to)
  }
  const remove = (index: number) => {
    onChange(steps.filter((_, each) => each !== index))
    setOpen(undefined)
    setSaid(t`Removed step ${index + 1}.`)
    focusStep(Math.min(index, steps.length - 2))
  }
  const add = () => {
    onChange([...steps, newAction(kind)])
    setOpen(steps.length)
    focusStep(steps.length)
  }
  const onKey = (event: KeyboardEvent, index: number) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    event.preventDefault()
    move(index, event.key === 'ArrowUp' ? index - 1 : index + 1)
  }

  return (
    <Section
      title={t({ message: 'Steps', context: 'of a template' })}
      description={t`Alt with an arrow key moves a step.`}
    >
      <output className="visually-hidden">{said}</output>
      {steps.length === 0 && (
        <p className="muted">
          <Trans>No steps yet. Add the first one below.</Trans>
        </p>
      )}
      <ol ref={list} className={styles.steps}>
        {steps.map((step, index) => {
          const wrong = problems.filter((each) => each.step === index).length
          const isOpen = open === index
          const name = step.title || i18n._(stepLabel(step.kind).label)
          return (
            // oxlint-disable-next-line react/no-array-index-key -- a step has no id, and its place is what it is
            <li key={index} className={styles.step}>
              <div className={styles.stepBar}>
                <button
                  type="button"
                  className={styles.stepHead}
                  aria-expanded={isOpen}
                  onClick={() => setOpen(isOpen ? undefined : index)}
                  onKeyDown={(event) => onKey(event, index)}
                >
                  {isOpen ? (
                    <ChevronDown size={16} aria-hidden />
                  ) : (
                    <ChevronRight size={16} aria-hidden />
                  )}
                  <span>
                    <strong>
                      {index + 1}. {name}
                    </strong>
                    <small className="muted">{aboutOf(step, (message) => i18n._(message))}</small>
                  </span>
                </button>
                <TriedBadge tried={tried} index={index} />
                {wrong > 0 && (
                  <StateBadge
                    kind="warning"
                    text={t`${plural(wrong, { one: '# error', other: '# errors' })}`}
                  />
                )}
                <span className={styles.stepTools}>
                  <button
                    type="button"
                    className="button quiet icon"
                    aria-disabled={index === 0}
                    {...iconName(t`Move step ${index + 1} up`)}
                    onClick={() => move(index, index - 1)}
                  >
                    <ArrowUp size={16} aria-hidden />
                  </button>
                  <button
                    type="button"
                    className="button quiet icon"
                    aria-disabled={index === steps.length - 1}
                    {...iconName(t`Move step ${index + 1} down`)}
                    onClick={() => move(index, index + 1)}
                  >
                    <ArrowDown size={16} aria-hidden />
                  </button>
                  <button
                    type="button"
                    className="button quiet icon"
                    {...iconName(t`Remove step ${index + 1}`)}
                    onClick={() => remove(index)}
                  >
                    <Trash2 size={16} aria-hidden />
                  </button>
                </span>
              </div>
              {isOpen && (
                <StepForm
                  step={step}
                  parameters={content.parameters}
                  problems={problemsAt(problems, { step: index })}
                  rollbackProblems={problemsAt(problems, { step: index, isRollback: true })}
                  onChange={(changed) =>
                    onChange(steps.map((each, at) => (at === index ? changed : each)))
                  }
                />
              )}
            </li>
          )
        })}
      </ol>
      {problems
        .filter(
          ({ step, parameterAt, code }) =>
            step === null && parameterAt === null && code !== 'noSteps',
        )
        .map(({ code }) => (
          <p key={code} className="field-error">
            {i18n._(templateProblems[code])}
          </p>
        ))}
      <div className="actions">
        <label>
          <span className="visually-hidden">
            <Trans>Kind of the new step</Trans>
          </span>
          <select
            className="select"
            value={kind}
            onChange={({ target }) => setKind(target.value as StepKind)}
          >
            {stepKinds.map((each) => (
              <option key={each} value={each}>
                {i18n._(stepLabel(each).label)}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="button"
          aria-disabled={steps.length >= maxSteps}
          onClick={() => steps.length < maxSteps && add()}
        >
          <Plus size={16} aria-hidden />
          <Trans>Add step</Trans>
        </button>
        <ScriptActions name={title} content={content} onChange={onChange} />
      </div>
    </Section>
  )
}

/** The result of a step in the latest dry run. */
function TriedBadge({ tried, index }: { tried: TemplateDryRun | undefined; index: number }) {
  const { t } = useLingui()
  const state = tried?.steps.find((each) => each.index === index && !each.isRollback)?.state
  if (state === undefined) return null
  return state === 'succeeded' ? (
    <StateBadge kind="good" text={t({ message: 'Done', context: 'a step that was tried' })} />
  ) : (
    <StateBadge kind="bad" text={t({ message: 'Failed', context: 'a step that was tried' })} />
  )
}
