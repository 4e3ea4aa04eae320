import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { TemplateState } from '@grove/contract/maple/program/template.rules'
import { type AnyActor } from '../../../core/actor.ts'
import { definePolicy, refusal } from '../../../core/policy.ts'
import { hasRight } from '../base/right.ts'
import { isUnderWay } from '../base/under-way.ts'

/** Rights on objects, by state and, where relevant, by actor. */
export const { can, assertAllowed, rightsOf } = definePolicy({
  'template.deprecate': ({ state }: TemplateAt) =>
    state === 'published'
      ? null
      : refusal('transition_refused', `A template that is ${state} cannot be deprecated.`),
  'template.restore': ({ state }: TemplateAt) =>
    state === 'deprecated'
      ? null
      : refusal('transition_refused', 'Only a deprecated template can be restored.'),
  'template.run': ({ state }: TemplateAt) => {
    if (state === 'published') return null
    return refusal(
      'transition_refused',
      state === 'draft'
        ? 'The template has no published version yet.'
        : 'The template is deprecated, so it cannot be run.',
    )
  },
  'template.cancel': ({ state }: { state: OperationState }) =>
    isUnderWay(state) ? null : refusal('job_finished', 'The run has finished.'),
  /** The actions that a page of programs offers, by reader. */
  'program.use': (right: 'program.change' | 'program.run' | 'approval.give', actor: AnyActor) =>
    hasRight(actor, right) ? null : refusal('forbidden', 'You do not have the right to do this.'),
})

type TemplateAt = { state: TemplateState }
type OperationState = AppletOperation['state']
