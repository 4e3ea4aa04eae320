import type { Device } from '@grove/contract'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { ApiProblem } from '../../../api/problem.ts'
import { Field } from '../../../ui/field/field.tsx'
import { fieldErrors } from '../../../api/field-errors.ts'
import { FormShell } from '../../../ui/form/form-shell.tsx'
import { deviceTypes, longestDeviceId } from '@grove/contract/maple/device.rules'
import { useDeviceWords } from './device.labels.tsx'
import { changeOf, problemsOf, valueAt, type DeviceValues } from './form/device-values.ts'
import { ElementsField } from './form/elements-field.tsx'
import { StateField } from './form/state-field.tsx'
import { useValueProblemTexts } from './form/value-problem-texts.ts'

interface DeviceFormProps {
  initial: DeviceValues
  isNew: boolean
  onSubmit: (values: DeviceValues) => void
  onCancel: () => void
  isSubmitting: boolean
  submitError: unknown
  submitLabel: string
  isKeptBy: (search: Record<string, unknown>) => boolean
  /** What can be done about a refusal. */
  remedy?: ReactNode
}

/** Refusals that name no field, and the field that they are about. */
const fieldOfCode: Record<string, string> = { device_id_taken: 'id', transition_refused: 'state' }

function refusedField(error: unknown) {
  const path = error instanceof ApiProblem ? fieldOfCode[error.code] : undefined
  return path === undefined || !(error instanceof ApiProblem)
    ? error
    : new ApiProblem(
        {
          code: error.code,
          detail: error.detail,
          errors: [{ path, code: error.code, message: error.detail }],
        },
        error.status,
      )
}

export function DeviceForm(props: DeviceFormProps) {
  const { initial, isNew, isSubmitting, submitError } = props
  const { i18n, t } = useLingui()
  const words = useDeviceWords()
  const texts = useValueProblemTexts()
  const typeId = useId()
  const fields = useRef<HTMLDivElement>(null)
  const [values, setValues] = useState(initial)
  const [attempts, setAttempts] = useState(0)
  const [sent, setSent] = useState(initial)
  const change = (part: Partial<DeviceValues>) => setValues((now) => ({ ...now, ...part }))

  const problems = problemsOf(values)
  const refused = fieldErrors(refusedField(submitError), i18n)
  const errorOf = (path: string) => {
    const problem = attempts > 0 ? problems[path] : undefined
    if (problem) return texts[problem]
    // A refusal is about what was sent: it goes when the field is changed.
    return valueAt(values, path) === valueAt(sent, path) ? refused[path] : undefined
  }
  const isDirty = isNew
    ? JSON.stringify(values) !== JSON.stringify(initial)
    : changeOf(initial, values) !== undefined

  useEffect(() => {
    if (attempts > 0) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts])

  const submit = () => {
    if (Object.keys(problems).length > 0) setAttempts(attempts + 1)
    else {
      setSent(values)
      props.onSubmit(values)
    }
  }

  return (
    <FormShell
      submitError={submitError}
      isSubmitting={isSubmitting}
      isDirty={isDirty}
      isKeptBy={props.isKeptBy}
      onSubmit={submit}
      submitLabel={props.submitLabel}
      disabledReason={isNew || isDirty ? undefined : t`Nothing has changed.`}
      onCancel={props.onCancel}
    >
      {props.remedy}
      <div ref={fields} className="form">
        <Field
          label={t`Name`}
          name="name"
          value={values.name}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
          error={errorOf('name')}
        />
        {isNew && (
          <Field
            label={t`Id (optional)`}
            name="id"
            value={values.id}
            maxLength={longestDeviceId}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            hint={t`Letters, digits and . _ : - only. Left empty, one is generated. It cannot be changed later.`}
            onChange={(event) => change({ id: event.target.value })}
            error={errorOf('id')}
          />
        )}
        <div className="field">
          <label htmlFor={typeId}>{t`Type`}</label>
          <select
            id={typeId}
            className="select"
            value={values.type}
            onChange={(event) => change({ type: event.target.value as Device['type'] })}
          >
            {deviceTypes.map((type) => (
              <option key={type} value={type}>
                {words.type[type]}
              </option>
            ))}
          </select>
        </div>
        <StateField
          from={initial.state}
          isNew={isNew}
          value={values.state}
          onChange={(state) => change({ state })}
          error={errorOf('state')}
        />
        <ElementsField
          rows={values.elements}
          onChange={(update) => setValues((now) => ({ ...now, elements: update(now.elements) }))}
          errorOf={(index) => errorOf(`cplc.${index}`)}
          isTaken={
            submitError instanceof ApiProblem && submitError.code === 'element_attached_elsewhere'
          }
        />
      </div>
    </FormShell>
  )
}
