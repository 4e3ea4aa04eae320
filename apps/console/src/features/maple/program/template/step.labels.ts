import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  expectedOf,
  isOwnKind,
  type StepKind,
  type TemplateAction,
  type TemplateProblem,
  type TemplateStep,
} from '@grove/contract/maple/program/template-step.rules'
import type { ParameterType } from '@grove/contract/maple/program/template-parameter.rules'
import { fieldLabels, kindLabels } from '../../card/command/command.labels.ts'

const ownLabels = {
  openChannel: {
    label: msg`Open a secure channel`,
    about: msg`With the element’s keys, to the selected domain. The keys stay where they are kept.`,
  },
  installApplet: {
    label: msg`Install an applet`,
    about: msg`Loads an uploaded package and installs its applets.`,
  },
  deleteApplet: {
    label: msg`Delete an applet`,
    about: msg`Deletes an uploaded package with everything created from it, and its data.`,
  },
  raw: {
    label: msg`Raw bytes`,
    about: msg`One command APDU. Whoever runs the template needs the right to send raw bytes.`,
  },
}

export const stepLabel = (kind: StepKind) => (isOwnKind(kind) ? ownLabels[kind] : kindLabels[kind])

export const parameterTypeLabels: Record<ParameterType, MessageDescriptor> = {
  text: msg({ message: 'Text', context: 'type of a parameter' }),
  hex: msg({ message: 'Bytes in hex', context: 'type of a parameter' }),
  aid: msg({ message: 'AID', context: 'type of a parameter' }),
  number: msg({ message: 'Number', context: 'type of a parameter' }),
  choice: msg({ message: 'Choice', context: 'type of a parameter' }),
}

/** Errors in one part of the content, by field. */
export const problemsAt = (
  problems: readonly TemplateProblem[],
  { step, isRollback = false }: { step: number; isRollback?: boolean },
) => problems.filter((each) => each.step === step && each.isRollback === isRollback)

/** What a step concerns, in short. */
export const aboutOf = (
  { values }: TemplateAction,
  translate: (message: MessageDescriptor) => string,
): string =>
  Object.entries(values)
    .filter(([name]) => name !== 'applet')
    .map(([name, value]) => (value === true ? flagOf(name, translate) : String(value)))
    .join(' · ')

const flagOf = (name: string, translate: (message: MessageDescriptor) => string): string => {
  const label = fieldLabels[name]
  return label ? translate(label) : name
}

/** A step as one line: its kind and what it concerns. */
export const stepLine = (
  step: TemplateAction,
  translate: (message: MessageDescriptor) => string,
): string =>
  [translate(stepLabel(step.kind).label), aboutOf(step, translate)].filter(Boolean).join(' · ')

/** The lines of a step, for a diff of versions. */
export const linesOf = (
  step: TemplateStep,
  translate: (message: MessageDescriptor) => string,
): string[] => [
  `${stepLine(step, translate)} → ${expectedOf(step).join(', ')}${step.contains ? ` · ${step.contains}` : ''}`,
  ...(step.rollback ? [`    ↩ ${stepLine(step.rollback, translate)}`] : []),
]
