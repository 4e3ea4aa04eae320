import {
  readParameters,
  TemplateValueError,
} from '@grove/contract/maple/program/template-parameter.rules'
import type { TemplateVersion } from '@grove/contract/maple/program/template'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField } from '../../../../core/http/problem.ts'
import type { Scope } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { causeOfProofs } from '../../card/purpose-key/proof-cause.ts'
import { assertMaySend } from './may-send.ts'
import { runOnElement } from './run-on-element.ts'
import { findVersion, templates } from './template.queries.ts'
import { planHash, tokenDomains } from './token-plan.ts'

interface At {
  id: string
  scope: Scope
}

interface Run {
  actor: Actor
  version: TemplateVersion
  input: Readonly<Record<string, unknown>>
  isApproved: boolean
  target: { cplc?: string; deviceId: string }
  onSession?: (sessionId: string) => Promise<unknown>
}

/** Causes that may be gone at a retry: another session, an offline reader. */
const transient = new Set<string>(['session_busy', 'no_route'])

/** Runs a version of a template, as a run on chosen elements does. */
export const templateProgram = {
  kind: 'template' as const,
  needsElement: true,

  async describe({ db }: Pick<MapleContext, 'db'>, { id, scope }: At) {
    const found = await templates.find(db, id, scope)
    if (found?.state !== 'published' || found.version === null) return undefined
    return { name: found.name, version: String(found.version) }
  },

  /** The chosen version, whatever is published meanwhile. */
  async load({ db }: ProgramContext, { id, scope, version }: At & { version: string }) {
    if (!(await templates.find(db, id, scope))) return undefined
    return findVersion(db, id, Number(version))
  },

  readInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    for (const [name, value] of Object.entries(input))
      if (typeof value !== 'string' && typeof value !== 'number')
        throw invalidField(`program.input.${name}`, 'type', 'A value is a text or a number.')
    return { ...input }
  },

  /** Values for its parameters. A secret would be readable by everyone who sees the rollout. */
  async check(
    { db }: Pick<MapleContext, 'db'>,
    { actor, id, version, input }: At & Pick<Run, 'actor' | 'input'> & { version: string },
  ) {
    const { parameters = [], steps = [] } = (await findVersion(db, id, Number(version))) ?? {}
    assertMaySend(actor, { steps })
    const secret = parameters.find(({ isSecret }) => isSecret)
    if (secret)
      throw invalidField(
        `program.input.${secret.name}`,
        'secret',
        'The values of a rollout can be read, so its template has no secret parameters.',
      )
    const [problem] = readParameters(parameters, input).problems
    if (problem)
      throw invalidField(
        `program.input.${problem.field}`,
        problem.code,
        `${problem.field}: ${problem.code}.`,
      )
  },

  /** Failed steps are undone immediately; successful ones cannot be rolled back. */
  hasWayBack: () => false,

  /** The domains that its steps open, and a hash of everything it does. */
  async tokenPlan(
    { db }: Pick<MapleContext, 'db'>,
    { id, version, input, scope }: At & Pick<Run, 'input'> & { version: string },
  ) {
    const content = await findVersion(db, id, Number(version))
    const read = content && readParameters(content.parameters, input)
    if (!read || read.problems.length > 0) return undefined
    const { values } = read
    try {
      const domains = tokenDomains(content, values)
      if (domains.length === 0) return undefined
      return { domains, hash: await planHash(db, { content, values, others: input, scope }) }
    } catch (error) {
      // Each element reports the error in the value.
      if (error instanceof TemplateValueError) return undefined
      throw error
    }
  },

  async run(
    context: ProgramContext,
    { actor, version, input, isApproved, target: { cplc }, onSession }: Run,
  ) {
    if (cplc === undefined) return { state: 'skipped' as const, cause: 'element_gone' }
    const { values, problems } = readParameters(version.parameters, input)
    const [problem] = problems
    if (problem)
      return { state: 'failed' as const, cause: `bad_value ${problem.field} ${problem.code}` }
    const work = {
      actor,
      cplc,
      content: version,
      values,
      isApproved,
      ...(onSession && { onSession }),
    }
    const { state, cause, receipts, sessionId } = await runOnElement(context, work)
    const proved = causeOfProofs(receipts)
    return {
      state: state === 'succeeded' ? ('succeeded' as const) : ('failed' as const),
      ...(cause ? { cause: cause.message } : proved !== undefined && { cause: proved }),
      ...(sessionId !== null && { sessionId }),
      ...(state === 'refused' && cause && transient.has(cause.code) && { isTransient: true }),
    }
  },
}
