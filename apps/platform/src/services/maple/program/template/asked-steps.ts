import type { Approval } from '@grove/contract/maple/access/approval'
import {
  isSecretText,
  stepFields,
  type TemplateAction,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import {
  fillText,
  type ParameterValues,
} from '@grove/contract/maple/program/template-parameter.rules'
import type { Scope } from '../../../../core/scope.ts'
import type { MapleDb } from '../../base/tables.ts'
import { findApplet } from '../../card/applet/applet.queries.ts'

const maxSteps = 20
const maxValues = 20
const maxWords = 8
const maxLength = 64

interface Asked {
  content: TemplateContent
  values: ParameterValues
  scope: Scope
}

type AskedStep = NonNullable<Approval['input']['steps']>[number]

/**
 * The description of a run in a request, since approvers may lack the right to read templates.
 * Bounded, because requests are listed and recorded in full.
 */
export async function askedSteps(
  db: MapleDb,
  { content: { steps }, values, scope }: Asked,
): Promise<Pick<Approval['input'], 'values' | 'steps' | 'stepCount'>> {
  const shown: AskedStep[] = []
  for (const [index, step] of steps.slice(0, maxSteps).entries())
    for (const action of [step, step.rollback])
      if (action)
        shown.push({
          index,
          isRollback: action !== step,
          kind: action.kind,
          words: await wordsOf(db, action, { values, scope }),
        })
  return {
    values: [...values]
      .filter(([, { value, isSecret }]) => !isSecret && value !== '')
      .slice(0, maxValues)
      .map(([name, { value }]) => ({ name, value: cut(value) })),
    stepCount: steps.length,
    steps: shown,
  }
}

/** The AIDs, choices and bytes of a step, and its applet by name. */
async function wordsOf(
  db: MapleDb,
  { kind, values: given }: TemplateAction,
  { values, scope }: Pick<Asked, 'values' | 'scope'>,
): Promise<string[]> {
  const words: string[] = []
  for (const [name, field] of Object.entries(stepFields(kind))) {
    const value = given[name]
    if (Array.isArray(value)) words.push(value.join(', '))
    if (typeof value !== 'string' || value === '' || isSecretText(value, values)) continue
    const isBytes = kind === 'raw' && name === 'command' && given['isSecret'] !== true
    if (field.type !== 'aid' && field.type !== 'choice' && field.type !== 'applet' && !isBytes)
      continue
    const text = fillText(name, value, { isHex: field.type === 'aid' || isBytes, values })
    const applet = field.type === 'applet' ? await findApplet(db, text, scope) : undefined
    words.push(applet ? `${applet.name} ${applet.version}` : text)
  }
  return words.slice(0, maxWords).map((word) => cut(word))
}

const cut = (text: string): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
