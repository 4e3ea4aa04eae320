import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import type { MapleRight } from '@grove/contract/maple/access/right.rules'
import { timelineKinds, type TimelineKind } from '@grove/contract/maple/card/timeline.rules'
import type { AnyActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { MapleContext } from '../../base/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { hasRight } from '../../base/right.ts'
import { findElement } from '../../fleet/element/element.queries.ts'
import { timelineList } from './timeline.queries.ts'

type TimelineCall = Calls['GET /api/maple/se/timeline']

/** The rights that are needed to read the same data elsewhere. */
const rights: Partial<Record<TimelineKind, MapleRight>> = {
  event: 'event.read',
  device: 'event.read',
  session: 'session.read',
  applet: 'applet.read',
  template: 'program.read',
  script: 'program.read',
}

/** @throws ProblemError `not_found`, `bad_cursor`. */
export async function listTimeline(
  { db }: MapleContext,
  actor: AnyActor,
  query: QueryOf<TimelineCall>,
): Promise<ResponseOf<TimelineCall>> {
  const cplc = readCplc('cplc', query.cplc ?? '')
  const scope = scopeOf(actor)
  const element = await findElement(db, cplc, scope)
  if (!element) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  const { device, history } = element
  const kinds = timelineKinds.filter((kind) => {
    const right = rights[kind]
    const isWanted = query.kind === undefined || query.kind === kind
    return isWanted && (right === undefined || hasRight(actor, right))
  })
  return timelineList.read(db, query, {
    cplc: element.cplc,
    subjects: [element.cplc, ...history.map((former) => former.cplc)],
    device: device ? { id: device.id, since: device.attachedAt } : undefined,
    kinds,
    scope,
  })
}
