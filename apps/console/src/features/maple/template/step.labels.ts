import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import {
  expectedOf,
  isOwnKind,
  type StepKind,
  type TemplateAction,
  type TemplateProblem,
  type TemplateStep,
} from '@grove/contract/maple/template-step.rules'
import type {
  ParameterType,
  TemplateProblemCode,
} from '@grove/contract/maple/template-parameter.rules'
import { kindLabels } from '../parts/command/command.labels.ts'

const ownLabels = {
  openChannel: {
    label: msg`Open a secure channel`,
    about: msg`With the keys of the element, to the domain that is selected. The keys stay where they are kept.`,
  },
  installApplet: {
    label: msg`Install an applet`,
    about: msg`Loads an uploaded package and installs its applets.`,
  },
  deleteApplet: {
    label: msg`Delete an applet`,
    about: msg`Deletes an uploaded package with everything made from it, and its data.`,
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

export const templateProblems: Record<TemplateProblemCode, MessageDescriptor> = {
  required: msg`Enter a value.`,
  unknown: msg`This kind of step has no such field.`,
  notHex: msg`Enter whole bytes in hex.`,
  notAid: msg`Enter an AID: 5 to 16 bytes in hex.`,
  wrongType: msg`The value is of another type.`,
  outOfRange: msg`The value is out of range.`,
  unknownParameter: msg`There is no such parameter.`,
  wrongParameter: msg`The length of a value fits only where bytes are meant.`,
  badPlaceholder: msg`Write a parameter as its name in double braces.`,
  tooLong: msg`The value is too long here.`,
  badName: msg`A name begins with a letter and has up to 40 letters, digits and underscores.`,
  duplicateName: msg`Another parameter has this name.`,
  noChoices: msg`Name at least one choice.`,
  secretDefault: msg`A secret has no default: it would be kept in the template.`,
  badStatusWord: msg`A status word is four hex digits that begin with 6 or 9.`,
  notApplet: msg`Choose an applet.`,
  finalState: msg`A template cannot terminate cards: each needs a second person, on its own page.`,
  noChannel: msg`Open a secure channel in a step before.`,
  noSteps: msg`Add a step.`,
  cannotEncode: msg`No command can be made of these values.`,
}

/** Problems of one part of the content, by field. */
export const problemsAt = (
  problems: readonly TemplateProblem[],
  { step, isRollback = false }: { step: number; isRollback?: boolean },
) => problems.filter((each) => each.step === step && each.isRollback === isRollback)

/** What a step is about, in short. */
export const aboutOf = ({ values }: TemplateAction): string =>
  Object.entries(values)
    .filter(([name]) => name !== 'applet')
    .map(([name, value]) => (value === true ? name : String(value)))
    .join(' · ')

/** A step as one line: its kind and what it is about. */
export const stepLine = (
  step: TemplateAction,
  translate: (message: MessageDescriptor) => string,
): string => [translate(stepLabel(step.kind).label), aboutOf(step)].filter(Boolean).join(' · ')

/** The lines of a step, for a comparison of versions. */
export const linesOf = (
  step: TemplateStep,
  translate: (message: MessageDescriptor) => string,
): string[] => [
  `${stepLine(step, translate)} → ${expectedOf(step).join(', ')}${step.contains ? ` · ${step.contains}` : ''}`,
  ...(step.rollback ? [`    ↩ ${stepLine(step.rollback, translate)}`] : []),
]
