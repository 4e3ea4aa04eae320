import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { CardReading } from '@grove/contract/maple/card/element-card'
import { setCardState } from '@grove/secure-element/host/commands'
import { run } from '@grove/secure-element/host/run'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { SessionContext } from '../context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { readDomainKeys, readFacts } from './card-facts.ts'
import { storeReading } from './card-reading.ts'
import { level, onCard } from './card-session.ts'

/**
 * Reads a card in a separate session and stores its report.
 * @throws ProblemError `not_found`, `lease_held`, `key_missing`, `element_terminated` or
 * `card_failed` naming the session.
 */
export function readCard(
  context: SessionContext,
  actor: Actor,
  body: BodyOf<Calls['POST /api/maple/se/card/read']>,
): Promise<CardReading> {
  const cplc = readCplc('cplc', body.cplc)
  return onCard(context, actor, { cplc, purpose: 'read' }, async (session) => {
    const { send } = await session.openChannel({ level })
    const facts = await readFacts(send)
    const domainKeys = await readDomainKeys(session, facts.domains)
    return storeReading(context, actor, { session, facts, domainKeys, action: 'element.read' })
  })
}

/**
 * Locks a card that is SECURED, or unlocks it, and reads it again.
 * @throws ProblemError as `readCard`, and `transition_refused`.
 */
export function lockCard(
  context: SessionContext,
  actor: Actor,
  { locked, ...body }: BodyOf<Calls['POST /api/maple/se/card/lock']>,
): Promise<CardReading> {
  const cplc = readCplc('cplc', body.cplc)
  return onCard(context, actor, { cplc, purpose: 'domains' }, async (session) => {
    const { send } = await session.openChannel({ level })
    const { state } = await readFacts(send)
    const [from, to] = locked
      ? (['secured', 'cardLocked'] as const)
      : (['cardLocked', 'secured'] as const)
    if (state !== from && state !== to)
      throw new ProblemError(
        'transition_refused',
        `The card is ${state ?? 'in an unknown state'}; only a card that is ${from} can become ${to}.`,
      )
    if (state !== to) await run(send, setCardState({ state: to }))
    const action = locked ? 'element.lock' : 'element.unlock'
    return storeReading(context, actor, { session, facts: await readFacts(send), action })
  })
}
