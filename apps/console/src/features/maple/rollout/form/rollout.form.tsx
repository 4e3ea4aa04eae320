import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import {
  maxRolloutNameLength,
  maxRunMinutes,
  maxStartHours,
  maxAtOnce,
  maxPerMinute,
} from '@grove/contract/maple/rollout/rollout.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { queryClient } from '../../../../api/query-client.ts'
import { api } from '../../../../session/api.ts'
import { confirmLoss } from '../../../../ui/form/unsaved-changes.ts'
import { Dialog } from '../../../../ui/dialog/dialog.tsx'
import { FormShell } from '../../../../ui/form/form-shell.tsx'
import type { FieldTexts } from '../../../../ui/form/form-values.ts'
import { useNameProblem } from '../../../../ui/form/name-problem.ts'
import { useForm } from '../../../../ui/form/use-form.ts'
import { notify } from '../../../../ui/toast/notify.ts'
import { areValid } from '../../program/template-values/values-form.tsx'
import { path, refreshRollouts } from '../rollout.api.ts'
import styles from './form.module.css'
import { GroupsStep } from './groups-step.tsx'
import { ProgramStep } from './program-step.tsx'
import { programQuery, type ChosenProgram } from './program.api.ts'
import {
  bodyOf,
  isDomain,
  valuesOf,
  type RolloutValues,
  type StartProgram,
} from './rollout-values.ts'
import { TargetStep } from './target-step.tsx'
import { TimeStep } from './time-step.tsx'

interface RolloutFormProps {
  /** The draft to edit; without one, a new rollout is created. */
  rollout?: Rollout
  /** The program of a new one. */
  start?: StartProgram | undefined
  onSaved: (rollout: Rollout) => void
  onClose: () => void
}

const allSteps = ['program', 'targets', 'groups', 'time'] as const
type Step = (typeof allSteps)[number]

/** The step with the field that a problem's path refers to. */
function stepOf(field: string): Step {
  if (/^(name|program|action|domain|input)/.test(field)) return 'program'
  if (/^(by|groupId|type|state|tag|attribute|devices|joinUntil|targets)/.test(field))
    return 'targets'
  return /^(groups|canaries)/.test(field) ? 'groups' : 'time'
}

/** Maps a path of the request to a field of the form. */
const fieldOf = (path: string): string =>
  path
    .replace(/^(targets\.filter|targets|plan\.window|plan)\./, '')
    .replace(/^program\.input\.domain$/, 'domain')
    .replace(/^program\.input\.(?!action|instances).*/, 'input')
    .replace(/^program\..*/, 'program')

/** A rollout in steps: what, where, in which groups, when. */
export function RolloutForm({ rollout, start, onSaved, onClose }: RolloutFormProps) {
  const { t } = useLingui()
  const [step, setStep] = useState<Step>('program')
  // Its devices come from another rollout.
  const isFollowUp = rollout !== undefined && (rollout.rollsBack ?? rollout.retries) !== null
  const steps: readonly Step[] = isFollowUp
    ? allSteps.filter((each) => each !== 'targets')
    : allSteps
  const check = useChecks()
  const form = useForm<RolloutValues, Rollout>({
    values: useState(() => valuesOf(rollout, start))[0],
    check,
    fieldOf,
    submit: (values) =>
      rollout
        ? api.maple.put(path, {
            query: { id: rollout.id },
            ifMatch: rollout.revision,
            body: bodyOf(values, chosenIn(values)?.inputs),
          })
        : api.maple.post(path, { body: bodyOf(values, chosenIn(values)?.inputs) }),
    onSaved: (saved) => {
      void refreshRollouts(saved)
      notify({ text: t`The draft is saved. Start it when you are ready.` })
      onSaved(saved)
    },
    isOnce: true,
  })
  const wrong = steps.filter((each) =>
    Object.entries(form.errors).some(([field, text]) => text && stepOf(field) === each),
  )
  const [firstWrong] = wrong
  const shown = useRef(step)
  const stepFields = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    // The refused field may be on a step that is not visible.
    if (firstWrong && !wrong.includes(shown.current)) setStep(firstWrong)
    // oxlint-disable-next-line react/exhaustive-deps -- once for each new first problem
  }, [firstWrong])
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    const fields = stepFields.current
    const first =
      fields?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      fields?.querySelector<HTMLElement>('input, select, textarea, button')
    first?.focus()
  }, [step])
  const words: Record<Step, string> = {
    program: t({ message: 'What', context: 'step of a rollout’s form' }),
    targets: t({ message: 'Where', context: 'step of a rollout’s form' }),
    groups: t({ message: 'Groups', context: 'step of a rollout’s form' }),
    time: t({ message: 'When', context: 'step of a rollout’s form' }),
  }
  const index = steps.indexOf(step)
  const next = steps[index + 1]
  const back = steps[index - 1]
  const close = async () => {
    if (form.status === 'saving') return
    if (form.isDirty && !(await confirmLoss())) return
    form.reset()
    onClose()
  }
  return (
    <Dialog
      title={rollout ? t`Edit the rollout` : t`New rollout`}
      size="content"
      closeLabel={t`Close`}
      onClose={() => void close()}
    >
      <ol className={styles.steps}>
        {steps.map((each, place) => (
          <li key={each}>
            <button
              type="button"
              aria-current={each === step ? 'step' : undefined}
              data-wrong={wrong.includes(each) || undefined}
              onClick={() => setStep(each)}
            >
              <span aria-hidden>{place + 1}</span> {words[each]}
            </button>
          </li>
        ))}
      </ol>
      <FormShell
        form={form}
        place="dialog"
        submitLabel={t`Save the draft`}
        nextStep={next && { label: t`Next: ${words[next]}`, go: () => setStep(next) }}
        isKeptBy={(search) => search['create'] === true}
        onCancel={() => void close()}
      >
        <fieldset ref={stepFields} className={styles.step} aria-label={words[step]}>
          {step === 'program' && (
            <ProgramStep
              form={form}
              isFixed={typeof rollout?.rollsBack === 'string' && rollout.program.kind !== 'image'}
              isKindFixed={isFollowUp}
            />
          )}
          {step === 'targets' && <TargetStep form={form} />}
          {step === 'groups' && (
            <GroupsStep
              form={form}
              {...(isFollowUp && { known: { total: rollout.retries?.count } })}
            />
          )}
          {step === 'time' && <TimeStep form={form} />}
        </fieldset>
        {back && (
          <button type="button" className="button" onClick={() => setStep(back)}>
            <Trans>Back</Trans>
          </button>
        )}
      </FormShell>
    </Dialog>
  )
}

/** The chosen program, once it has been fetched. */
const chosenIn = ({ kind, program }: RolloutValues): ChosenProgram | null | undefined =>
  program ? queryClient.getQueryData(programQuery(kind, program.id).queryKey) : undefined

/** The error of each field. */
function useChecks() {
  const { t } = useLingui()
  const nameProblem = useNameProblem()
  const within = (text: string, least: number, most: number) =>
    /^\d{1,7}$/.test(text.trim()) && Number(text) >= least && Number(text) <= most
      ? undefined
      : t`Enter a whole number from ${least} to ${most}.`
  return (values: RolloutValues): FieldTexts => {
    const { groups, by, devices, program, input, perMinute } = values
    const parameters = chosenIn(values)?.parameters ?? []
    const shares = groups.reduce(
      (sum, group) => sum + (group.by === 'share' ? Number(group.amount) : 0),
      0,
    )
    const errors: FieldTexts = {
      name:
        values.name.length > maxRolloutNameLength
          ? t`Use at most ${maxRolloutNameLength} characters.`
          : nameProblem(values.name),
      program: program ? undefined : t`Choose a program.`,
      domain: isDomain(values.domain) ? undefined : t`Enter 5 to 16 bytes as hex.`,
      input: parameters.some(({ isSecret }) => isSecret)
        ? t`It requires a secret, and the values of a rollout can be read. Run it on chosen elements instead.`
        : areValid(parameters, input)
          ? undefined
          : t`A value is missing or invalid.`,
      devices: by === 'devices' && devices.length === 0 ? t`Choose a device.` : undefined,
      atOnce: within(values.atOnce, 1, maxAtOnce),
      perMinute: perMinute === '' ? undefined : within(perMinute, 1, maxPerMinute),
      runMinutes: within(values.runMinutes, 1, maxRunMinutes),
      startHours: within(values.startHours, 1, maxStartHours),
    }
    for (const [index, group] of groups.entries()) {
      const at = (field: string) => `groups.${index}.${field}`
      if (group.by === 'share')
        errors[at('amount')] =
          within(group.amount, 1, 100) ??
          (shares > 100 ? t`The percentages add up to more than 100 %.` : undefined)
      if (group.by === 'count') errors[at('amount')] = within(group.amount, 1, 1_000_000)
      if (group.by === 'rest' && index < groups.length - 1)
        errors[at('by')] = t`Only the last group can have the rest.`
      errors[at('success')] = within(group.success, 0, 100)
      errors[at('errorShare')] = within(group.errorShare, 0, 100)
      errors[at('errorMinimum')] = within(group.errorMinimum, 1, 1_000_000)
      errors[at('mostErrors')] =
        group.mostErrors === '' ? undefined : within(group.mostErrors, 1, 1_000_000)
    }
    return errors
  }
}
