import { randomUUID } from 'node:crypto'
import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { TemplateDryRun } from '@grove/contract/maple/program/template'
import { defaultCardKind } from '@grove/contract/maple/card/software-card.rules'
import type { CardState } from '@grove/secure-element/card/card-state'
import { softwareCard, type Faults } from '@grove/secure-element/card/software-card'
import { hostKeys, type KeySource } from '@grove/secure-element/secure-channel/key-source'
import type { Actor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import type { ProgramContext } from '../context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { exchangeOf, type ExchangeRecord } from '../../card/session/exchange-record.ts'
import { delegationOf } from '../../card/purpose-key/delegation.ts'
import { elementSession } from '../../card/session/element-session.ts'
import { sessionLog } from '../../card/session/session-log.ts'
import { openCard } from '../../card/software-card/card-keys.ts'
import { findCard, findSnapshot } from '../../card/software-card/software-card.queries.ts'
import {
  cardFaults,
  cardOfKind,
  keySetsOf,
  numbersOf,
} from '../../card/software-card/software-card.rules.ts'
import { assertRight } from '../../base/right.ts'
import { prepareSteps } from './prepare-steps.ts'
import { runSteps } from './run-steps.ts'
import { StepError, stepErrorOf } from './step-cause.ts'
import { assertValid, assertValues } from './template-check.ts'

type Asked = BodyOf<Calls['POST /api/maple/templates/dry_run']>

/** The number of exchanges that one response holds. */
const maxExchanges = 3_000

/**
 * Runs steps on a temporary card in memory. It is the same session as with any other card, except
 * that its log is in the response.
 * @throws ProblemError `invalid_request`, `not_found` or `forbidden`.
 */
export async function dryRun(
  context: ProgramContext,
  actor: Actor,
  { input = [], card = {}, ...content }: Asked,
): Promise<TemplateDryRun> {
  assertValid(content)
  const values = assertValues(content, input)
  const state = await stateOf(context, actor, card)
  const steps: TemplateDryRun['steps'] = []
  const asked = { content, values, scope: scopeOf(actor), isVirtual: true }
  const ready = await prepareSteps(context, asked).catch((error: unknown) => stepErrorOf(error))
  if (ready instanceof StepError)
    return { state: 'refused', step: null, cause: ready.reason, rollback: null, steps }
  const { session, take } = sessionInMemory(context, state, cardFaults(card.faults ?? {}))
  try {
    // Its exchanges are shown, and a token is valid for every card with the same key.
    const { receipts: _, ...outcome } = await runSteps(session, ready, {
      delegation: (domain, send) => delegationOf({ domain, keys: [] }, send),
      onEnd: async (report) => {
        await session.flush().catch(() => {})
        steps.push({ ...report, exchanges: take().map((record) => exchangeOf(record)) })
        const count = steps.reduce((sum, { exchanges }) => sum + exchanges.length, 0)
        if (count > maxExchanges)
          throw new ProblemError(
            'limit_reached',
            `A dry run can have at most ${maxExchanges} exchanges. Try fewer steps.`,
          )
      },
    })
    return { ...outcome, steps }
  } finally {
    await session.end('finished')
  }
}

/** A new card of a kind, or a copy of one that the caller may see. */
async function stateOf(
  { db, keys: { vault } }: ProgramContext,
  actor: Actor,
  { kind = defaultCardKind, id, snapshotId }: NonNullable<Asked['card']>,
): Promise<CardState> {
  if (id === undefined && snapshotId === undefined) {
    const seed = randomUUID()
    return cardOfKind(kind, seed, numbersOf(kind, seed, null))
  }
  assertRight(actor, 'card.read')
  const scope = scopeOf(actor)
  const found =
    snapshotId === undefined
      ? await findCard(db, scope, readCplc('card.id', id ?? ''))
      : await findSnapshot(db, scope, snapshotId)
  if (!found) throw new ProblemError('not_found', 'There is no such software card or snapshot.')
  return openCard(vault, found)
}

function sessionInMemory({ now }: Pick<ProgramContext, 'now'>, state: CardState, faults: Faults) {
  const card = softwareCard(state)
  card.break(faults)
  const id = randomUUID()
  let records: ExchangeRecord[] = []
  const log = sessionLog({
    sessionId: id,
    day: '',
    now,
    transport: {
      kind: 'virtual',
      transmit: (bytes) => card.transmit(bytes),
      close: async () => {},
    },
    writer: {
      write: async ({ answered }) => {
        records.push(...answered)
        return true
      },
    },
  })
  const session = elementSession({
    id,
    cplc: state.cplc,
    purpose: 'program',
    log,
    now,
    keysFor: async () => keysOf(state),
    onChannel: async () => {},
    onWrongKeys: async () => undefined,
    isBlocked: async () => false,
    onEnd: async () => {},
  })
  return {
    session,
    /** The exchanges since the last call. */
    take: () => {
      const taken = records
      records = []
      return taken
    },
  }
}

/** Those that the card was created or copied with. */
const keysOf =
  (state: CardState): KeySource =>
  (greeting, hostChallenge) => {
    const set = keySetsOf(state).find(({ version }) => version === greeting.keyVersion)
    if (!set)
      throw new ProblemError('key_missing', 'The card has no complete keys of this version.')
    return hostKeys(set.keys, greeting, hostChallenge)
  }
