import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { TokenRequest } from '@grove/contract/maple/card/purpose-key'
import { parseCommand, type Command } from '@grove/secure-element/apdu'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { DecodeError } from '@grove/secure-element/decode-error'
import { tokenData, tokenFor } from '@grove/secure-element/host/delegation'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { JobError } from '../../../../core/jobs/define-jobs.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { findPending } from '../../access/approval/approval.queries.ts'
import { needsApproval } from '../../access/approval/approval.service.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'
import { purposeKeyEvents as events } from '../context.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { requestActor } from '../key/request-actor.ts'
import { lockElementFor } from '../session/session.queries.ts'
import { signingKey } from './key-material.ts'
import { activePurposeKeys } from './purpose-key.queries.ts'
import {
  insertTokenRequest,
  lockTokenRequest,
  storeTokens,
  tokenRequestsOf,
} from './token.queries.ts'

/**
 * Asks another person whether commands may be signed with a card's token key.
 * @throws ProblemError `not_found`, `invalid_request`, `key_missing` or `transition_refused`.
 */
export function askTokens(
  { db, now }: KeyContext,
  actor: Actor,
  { commands: given, ...at }: BodyOf<Calls['POST /api/maple/se/tokens']>,
): Promise<TokenRequest> {
  const cplc = readCplc('cplc', at.cplc)
  const commands = given.map((text) => text.toUpperCase())
  for (const [index, command] of commands.entries()) readUnsigned(command, index)
  return db.transaction().execute(async (tx) => {
    if (!(await lockElementFor(tx, cplc, scopeOf(actor))))
      throw new ProblemError('not_found', `There is no element ${cplc}.`)
    if (!(await tokenKeyOf(tx, cplc)))
      throw new ProblemError('key_missing', 'Grove has no key to sign for this card.')
    if (await findPending(tx, cplc, 'token.sign'))
      throw new ProblemError(
        'transition_refused',
        'Commands for this card are already waiting to be signed.',
      )
    const { id: approvalId } = await needsApproval({ db: tx, now }, actor, {
      action: 'token.sign',
      subject: cplc,
      input: { commands },
    })
    const id = randomUUID()
    await insertTokenRequest(tx, { id, cplc, approvalId, requestedBy: actor.id, commands })
    await events.record(tx, actor, 'purpose_key.ask', cplc, { after: { id, commands } })
    const made = (await tokenRequestsOf(tx, { cplc, requestedBy: actor.id })).find(
      (each) => each.id === id,
    )
    if (!made) throw new Error('a new request is there')
    return made
  })
}

const tokenKeyOf = async (db: MapleDb, cplc: string) =>
  (await activePurposeKeys(db, cplc)).find(({ purpose, sealed }) => purpose === 'token' && sealed)

/** @throws ProblemError `invalid_request` for a command without tokens. */
function readUnsigned(text: string, index: number): Command {
  try {
    const command = parseCommand(readHex(text))
    tokenData(command)
    return command
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw invalidField(
      `commands.${index}`,
      'command',
      'This is no INSTALL or DELETE without a token, as a pre-flight lists them.',
    )
  }
}

/** @throws ProblemError `not_found`. */
export async function listTokens(
  { db }: KeyContext,
  actor: Actor,
  given: { cplc: string },
): Promise<ResponseOf<Calls['GET /api/maple/se/tokens']>> {
  const cplc = readCplc('cplc', given.cplc)
  const isThere = await db.transaction().execute((tx) => lockElementFor(tx, cplc, scopeOf(actor)))
  if (!isThere) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  return { items: await tokenRequestsOf(db, { cplc, requestedBy: actor.id }) }
}

/** Signs the commands of an approved request. Idempotent. */
export async function signTokens(
  { db, keys: { vault } }: KeyContext,
  { id: approvalId, requestedBy }: Pick<Approval, 'id' | 'requestedBy'>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const wanted = await lockTokenRequest(tx, approvalId)
    if (!wanted) throw new JobError('not_found', 'The element was deleted.', { isFinal: true })
    const { id, cplc, commands, tokens } = wanted
    if (tokens) return
    const key = await tokenKeyOf(tx, cplc)
    if (!key?.sealed)
      throw new JobError('key_missing', 'The key for tokens was forgotten.', { isFinal: true })
    const signing = signingKey(key.kind, await vault.openText(key.sealed, key.id))
    const made = commands.map((text, index) => toHex(tokenFor(readUnsigned(text, index), signing)))
    await storeTokens(tx, id, made)
    await events.record(tx, requestActor(requestedBy, approvalId), 'purpose_key.sign', cplc, {
      after: { id, commands },
    })
  })
}
