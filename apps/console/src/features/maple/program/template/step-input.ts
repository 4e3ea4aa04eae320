import type { CommandFields } from '@grove/secure-element/host/command-kinds'
import {
  isOwnKind,
  stepFields,
  type StepKind,
  type TemplateAction,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import {
  firstInput,
  neededFields,
  shownFields,
  type CommandInput,
} from '../../card/command/command-input.ts'

/** The fields of a step, except the applet, which is chosen from a list. */
export const plainFields = (kind: StepKind): CommandFields =>
  Object.fromEntries(
    Object.entries(stepFields(kind)).flatMap(([name, field]) =>
      field.type === 'applet' ? [] : [[name, field]],
    ),
  )

export const needsApplet = (kind: StepKind): boolean =>
  Object.values(stepFields(kind)).some(({ type }) => type === 'applet')

/** A step as the form shows it. */
export function inputOf({ kind, values }: TemplateAction): CommandInput {
  const first = isOwnKind(kind)
    ? Object.fromEntries(
        Object.entries(plainFields(kind)).map(([name, field]) => [
          name,
          field.type === 'choice' ? (field.choices[0] ?? '') : '',
        ]),
      )
    : firstInput(kind)
  const given = Object.entries(values).map(([name, value]) => [name, textOf(value)])
  return { ...first, ...(Object.fromEntries(given) as CommandInput) }
}

const textOf = (value: unknown) =>
  typeof value === 'boolean' || Array.isArray(value)
    ? value
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : ''

export const shownOf = (kind: StepKind, input: CommandInput): string[] =>
  isOwnKind(kind) ? Object.keys(plainFields(kind)) : shownFields(kind, input)

/** The names of the required fields. */
export const neededOf = (kind: StepKind, input: CommandInput): string[] =>
  isOwnKind(kind)
    ? Object.entries(plainFields(kind)).flatMap(([name, field]) =>
        'isRequired' in field ? [name] : [],
      )
    : neededFields(kind, input)

/** A step as it is stored: only what is visible and filled in. */
export function actionOf(kind: StepKind, input: CommandInput): TemplateAction {
  const names = [...shownOf(kind, input), ...(needsApplet(kind) ? ['applet'] : [])]
  const values = names.flatMap((name) => {
    const value = input[name]
    // Only INSTALL has a flag that is set by default.
    const isLeftOut =
      value === undefined ||
      value === '' ||
      (value === false && name !== 'isSelectable') ||
      (Array.isArray(value) && value.length === 0)
    return isLeftOut ? [] : [[name, typeof value === 'string' ? value.trim() : value]]
  })
  return { kind, values: Object.fromEntries(values) as TemplateAction['values'] }
}

export const newAction = (kind: StepKind): TemplateAction =>
  actionOf(kind, inputOf({ kind, values: {} }))

/** Moves a step, or returns the same content if there is no such place. */
export function movedStep<Item>(steps: readonly Item[], from: number, to: number): Item[] {
  const moved = [...steps]
  if (to < 0 || to >= steps.length) return moved
  moved.splice(to, 0, ...moved.splice(from, 1))
  return moved
}

/** A line of a diff: in both, or only in one. */
export interface Line {
  mark: '+' | '−' | ' '
  text: string
}

/** A line-by-line diff of two versions (longest common subsequence). */
export function changedLines(before: readonly string[], after: readonly string[]): Line[] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    Array.from({ length: after.length + 1 }, () => 0),
  )
  const at = (one: number, other: number) => lengths[one]?.[other] ?? 0
  for (let one = before.length - 1; one >= 0; one--)
    for (let other = after.length - 1; other >= 0; other--) {
      const row = lengths[one]
      if (row)
        row[other] =
          before[one] === after[other]
            ? at(one + 1, other + 1) + 1
            : Math.max(at(one + 1, other), at(one, other + 1))
    }
  const lines: Line[] = []
  let one = 0
  let other = 0
  while (one < before.length || other < after.length) {
    const [old, next] = [before[one], after[other]]
    if (old !== undefined && old === next) {
      lines.push({ mark: ' ', text: old })
      one++
      other++
    } else if (
      next === undefined ||
      (old !== undefined && at(one + 1, other) >= at(one, other + 1))
    ) {
      lines.push({ mark: '−', text: old ?? '' })
      one++
    } else {
      lines.push({ mark: '+', text: next })
      other++
    }
  }
  return lines
}

/** The parameters that a template names, as written in a field. */
export const placeholdersOf = (
  { parameters }: Pick<TemplateContent, 'parameters'>,
  type: 'choice',
): string[] => parameters.filter((each) => each.type === type).map(({ name }) => `{{${name}}}`)
