import { maxStepTitleLength } from '@grove/contract/maple/program/template.rules'
import {
  bytesOf,
  expectedOf,
  exampleValues,
  readyAction,
  stepKinds,
  type StepKind,
  type TemplateAction,
  type TemplateProblem,
  type TemplateStep,
} from '@grove/contract/maple/program/template-step.rules'
import {
  TemplateValueError,
  type TemplateParameter,
} from '@grove/contract/maple/program/template-parameter.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Field } from '../../../../ui/field/field.tsx'
import { codeField } from '../../../../ui/form/fields.tsx'
import { Combobox } from '../../../../ui/kit/combobox.tsx'
import { BytePreview } from '../../card/command/byte-preview.tsx'
import { CommandFields } from '../../card/command/command-fields.tsx'
import {
  actionOf,
  inputOf,
  needsApplet,
  newAction,
  neededOf,
  placeholdersOf,
  plainFields,
  shownOf,
} from './step-input.ts'
import { stepLabel } from './step.labels.ts'
import { templateProblems } from '../template-values/template-problems.ts'
import { appletOptions, appletQuery } from './template.api.ts'
import styles from './template.module.css'
import { useListText } from './use-list-text.ts'

interface StepFormProps {
  step: TemplateStep
  parameters: TemplateParameter[]
  problems: readonly TemplateProblem[]
  rollbackProblems: readonly TemplateProblem[]
  onChange: (step: TemplateStep) => void
}

/** What a step sends, what it expects, and how it is undone. */
export function StepForm({
  step,
  parameters,
  problems,
  rollbackProblems,
  onChange,
}: StepFormProps) {
  const { t, i18n } = useLingui()
  const problemOf = (field: string) => {
    const found = problems.find((each) => each.field === field)
    return found && i18n._(templateProblems[found.code])
  }
  const expect = useListText(step.expect, /[\s,;]+/, (words) => {
    const { expect: _, ...others } = step
    onChange(words.length === 0 ? others : { ...others, expect: words })
  })
  const { rollback, ...rest } = step
  return (
    <div className={styles.stepForm}>
      <Field
        label={t`Title (optional)`}
        value={step.title ?? ''}
        maxLength={maxStepTitleLength}
        autoComplete="off"
        onChange={({ target }) => {
          const { title: _, ...others } = step
          onChange(target.value === '' ? others : { ...others, title: target.value })
        }}
      />
      <ActionFields
        action={step}
        parameters={parameters}
        problems={problems}
        onChange={(action) => onChange({ ...step, ...action })}
      />
      <div className={styles.row}>
        <Field
          label={t`Expected status words`}
          hint={t`If empty: ${expectedOf({ kind: step.kind }).join(', ')}.`}
          error={problemOf('expect')}
          {...codeField}
          {...expect}
        />
        <Field
          label={t`The reply contains (hex, optional)`}
          value={step.contains ?? ''}
          error={problemOf('contains')}
          {...codeField}
          onChange={({ target }) => {
            const { contains: _, ...others } = step
            onChange(target.value === '' ? others : { ...others, contains: target.value })
          }}
        />
      </div>
      <details open={rollback !== undefined || undefined}>
        <summary>
          <Trans>When a later step fails</Trans>
        </summary>
        <div className={styles.rollback}>
          <KindSelect
            label={t`Undo with`}
            kind={rollback?.kind}
            onChange={(kind) =>
              onChange(kind === undefined ? rest : { ...rest, rollback: newAction(kind) })
            }
          />
          {rollback && (
            <ActionFields
              action={rollback}
              parameters={parameters}
              problems={rollbackProblems}
              onChange={(action) => onChange({ ...rest, rollback: action })}
            />
          )}
        </div>
      </details>
    </div>
  )
}

interface ActionFieldsProps {
  action: TemplateAction
  parameters: TemplateParameter[]
  problems: readonly TemplateProblem[]
  onChange: (action: TemplateAction) => void
}

function ActionFields({ action, parameters, problems, onChange }: ActionFieldsProps) {
  const { i18n } = useLingui()
  const { kind } = action
  const input = inputOf(action)
  const texts = Object.fromEntries(
    problems.map(({ field, code }) => [field, i18n._(templateProblems[code])]),
  )
  const commands = previewOf(action, parameters)
  return (
    <>
      <p className="muted">{i18n._(stepLabel(kind).about)}</p>
      {needsApplet(kind) && (
        <AppletField
          id={String(input['applet'] ?? '')}
          error={texts['applet']}
          onChange={(applet) => onChange(actionOf(kind, { ...input, applet }))}
        />
      )}
      <CommandFields
        fields={plainFields(kind)}
        shown={shownOf(kind, input)}
        needed={neededOf(kind, input)}
        input={input}
        onInput={(change) => onChange(actionOf(kind, { ...input, ...change }))}
        problems={texts}
        placeholders={placeholdersOf({ parameters }, 'choice')}
      />
      {texts[''] && <p className="field-error">{texts['']}</p>}
      {commands.length > 0 && (
        <>
          <BytePreview commands={commands} protocol={undefined} />
          {parameters.length > 0 && (
            <p className="muted">
              <Trans>With the defaults of the parameters, or examples.</Trans>
            </p>
          )}
        </>
      )}
    </>
  )
}

/** The bytes of a step with example values; none while it has an error. */
function previewOf(action: TemplateAction, parameters: TemplateParameter[]): Uint8Array[] {
  try {
    return bytesOf(readyAction(action, exampleValues(parameters)))
  } catch (error) {
    if (error instanceof TemplateValueError) return []
    throw error
  }
}

interface KindSelectProps {
  label: string
  kind: StepKind | undefined
  onChange: (kind: StepKind | undefined) => void
}

function KindSelect({ label, kind, onChange }: KindSelectProps) {
  const { t, i18n } = useLingui()
  return (
    <label className={styles.kind}>
      {label}
      <select
        className="select"
        value={kind ?? ''}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : (target.value as StepKind))
        }
      >
        <option value="">{t`nothing`}</option>
        {stepKinds
          .filter((each) => each !== 'openChannel')
          .map((each) => (
            <option key={each} value={each}>
              {i18n._(stepLabel(each).label)}
            </option>
          ))}
      </select>
    </label>
  )
}

interface AppletFieldProps {
  id: string
  error: string | undefined
  onChange: (id: string) => void
}

function AppletField({ id, error, onChange }: AppletFieldProps) {
  const { t } = useLingui()
  const { data } = useQuery({ ...appletQuery(id), enabled: id !== '' })
  const found = data?.items[0]
  const label = found ? `${found.name} ${found.version}` : id
  return (
    <div className="field">
      <strong>
        <Trans>Applet</Trans>
      </strong>
      <Combobox
        label={t`Applet`}
        placeholder={t`Choose an applet`}
        value={id === '' ? null : { id, label }}
        options={appletOptions}
        onChange={(option) => onChange(option?.id ?? '')}
      />
      {error && <div className="field-error">{error}</div>}
    </div>
  )
}
