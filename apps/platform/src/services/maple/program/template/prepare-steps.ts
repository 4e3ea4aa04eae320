import type { AppletInstance } from '@grove/contract/maple/card/applet-operation'
import {
  expectedOf,
  readyAction,
  readyContains,
  type ReadyAction,
  type TemplateAction,
  type TemplateContent,
} from '@grove/contract/maple/program/template-step.rules'
import type { ParameterValues } from '@grove/contract/maple/program/template-parameter.rules'
import type { Scope } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import { findApplet, type AppletFacts } from '../../card/applet/applet.queries.ts'
import { readCapOf } from '../../card/applet/read-cap.ts'
import { causeOf, StepError } from './step-cause.ts'

/** The package of a step, read before anything is sent. */
export interface ReadyPackage {
  loadFileAid: string
  code: Uint8Array
  instances: readonly Required<Pick<AppletInstance, 'moduleAid' | 'instanceAid'>>[]
}

export interface ReadyWork {
  action: ReadyAction
  package: ReadyPackage | undefined
}

export interface ReadyStep extends ReadyWork {
  expected: readonly string[]
  contains: Uint8Array
  rollback: ReadyWork | undefined
}

interface Asked {
  content: TemplateContent
  values: ParameterValues
  /** The service provider that owns the applets; null for all. */
  scope: Scope
  /** Software cards accept applets before their release. */
  isVirtual: boolean
}

type PrepareContext = Pick<ProgramContext, 'db' | 'objects'>

/**
 * Fills in the values and reads the packages of every step, so that nothing is sent if one of them
 * fails.
 * @throws TemplateValueError or StepError
 */
export async function prepareSteps(context: PrepareContext, asked: Asked): Promise<ReadyStep[]> {
  const packages = new Map<string, AppletFacts & { code: Uint8Array }>()
  const workOf = async (given: TemplateAction): Promise<ReadyWork> => {
    const action = readyAction(given, asked.values)
    if (action.kind !== 'installApplet' && action.kind !== 'deleteApplet')
      return { action, package: undefined }
    const { applet: id } = action
    const found = packages.get(id) ?? (await readPackage(context, asked, id, action.kind))
    packages.set(id, found)
    const { packageAid: loadFileAid, code, applets } = found
    const { instanceAid = '' } = action.kind === 'installApplet' ? action : {}
    const all = applets.map(({ aid }) => ({ moduleAid: aid, instanceAid: aid }))
    // One AID names one applet: the first of the package.
    const instances =
      instanceAid === '' ? all : all.slice(0, 1).map((each) => ({ ...each, instanceAid }))
    return { action, package: { loadFileAid, code, instances } }
  }
  const ready: ReadyStep[] = []
  for (const step of asked.content.steps)
    ready.push({
      ...(await workOf(step)),
      expected: expectedOf(step),
      contains: readyContains(step.contains ?? '', asked.values),
      rollback: step.rollback && (await workOf(step.rollback)),
    })
  return ready
}

async function readPackage(
  context: PrepareContext,
  { scope, isVirtual }: Asked,
  id: string,
  kind: 'installApplet' | 'deleteApplet',
) {
  const applet = await findApplet(context.db, id, scope)
  if (!applet) throw new StepError(causeOf('applet_gone', { applet: id }))
  const named = { applet: `${applet.name} ${applet.version}` }
  if (kind === 'deleteApplet') return { ...applet, code: new Uint8Array() }
  if (applet.state === 'revoked') throw new StepError(causeOf('applet_revoked', named))
  if (applet.state !== 'released' && !isVirtual)
    throw new StepError(causeOf('applet_not_released', named))
  const { code } = await readCapOf(context, applet)
  return { ...applet, code }
}
