import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Approval } from '@grove/contract/maple/access/approval'
import type { KeyExport } from '@grove/contract/maple/card/key'
import { keyWrappings } from '@grove/contract/maple/card/key.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { keyCheckValue } from '@grove/secure-element/keys/key-check-value'
import { wrapKey } from '@grove/secure-element/keys/key-wrap'
import { cardKeyHeader, wrapKeyBlock } from '@grove/secure-element/keys/tr31'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { JobError } from '../../../../core/jobs/define-jobs.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { findPending } from '../../access/approval/approval.queries.ts'
import { needsApproval } from '../../access/approval/approval.service.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { keyEvents as events } from '../context.ts'
import { lockElementFor } from '../session/session.queries.ts'
import { exportsOf, findExport, insertExport, storeWrapped } from './key-export.queries.ts'
import type { KeyContext } from './key-provider.ts'
import { findSet, setsOf } from './key.queries.ts'
import { checkValuesOf } from './key-source.ts'
import { requestActor } from './request-actor.ts'

/**
 * Asks two other people whether the keys of a set may be exported under a transport key.
 * @throws ProblemError `not_found`, `transition_refused`, `invalid_request` or `vault_unavailable`.
 */
export function askExport(
  { db, now, keys: { vault } }: KeyContext,
  actor: Actor,
  {
    id: keySet,
    transportKey,
    wrapping = 'AES-KWP',
  }: BodyOf<Calls['POST /api/maple/se/keys/export']>,
): Promise<KeyExport> {
  return db.transaction().execute(async (tx) => {
    const set = await findSet(tx, keySet)
    // The refusal does not name another owner's element.
    const element = set && (await lockElementFor(tx, set.cplc, scopeOf(actor)))
    if (!element) throw new ProblemError('not_found', 'There is no such key set.')
    const { cplc, domain, version, keyLength, custody, state, master } = set
    if (state !== 'active')
      throw new ProblemError('transition_refused', 'Only keys that are in use can be exported.')
    if (custody === 'hsm')
      throw new ProblemError('transition_refused', 'The HSM gives no keys out.')
    if (master)
      throw new ProblemError(
        'transition_refused',
        'These keys are derived from master keys each time they are used, and are not stored.',
      )
    if (await findPending(tx, cplc, 'key.export'))
      throw new ProblemError(
        'transition_refused',
        'Keys of this element are already waiting for approval to be exported.',
      )
    const transport = readHex(transportKey)
    if (transport.length < keyLength)
      throw invalidField(
        'transportKey',
        'keyLength',
        `The transport key is shorter than the keys, which have ${keyLength} bytes.`,
        { limit: keyLength },
      )
    const transportCheckValue = toHex(keyCheckValue('AES', transport))
    const name = `${hex(version)}${domain === null ? '' : ` ${domain}`}`
    const { id: approvalId } = await needsApproval({ db: tx, now }, actor, {
      action: 'key.export',
      subject: cplc,
      input: { name, checkValue: transportCheckValue, wrapping },
    })
    const id = randomUUID()
    const sealed = await vault.keepText(id, toHex(transport))
    transport.fill(0)
    const row = { id, cplc, keySet, approvalId, requestedBy: actor.id }
    await insertExport(tx, { ...row, wrapping, transportCheckValue, sealed })
    await events.record(tx, actor, 'key_set.export', cplc, {
      after: { id: keySet, version, domain, wrapping, transportCheckValue },
    })
    const made = (await exportsOf(tx, row)).find((each) => each.id === id)
    if (!made) throw new Error('a new export is there')
    return made
  })
}

const hex = (version: number) => version.toString(16).toUpperCase().padStart(2, '0')

/** @throws ProblemError `not_found`. */
export async function listExports(
  { db }: KeyContext,
  actor: Actor,
  given: { cplc: string },
): Promise<ResponseOf<Calls['GET /api/maple/se/keys/export']>> {
  const cplc = readCplc('cplc', given.cplc)
  const isThere = await db.transaction().execute((tx) => lockElementFor(tx, cplc, scopeOf(actor)))
  if (!isThere) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  return { items: await exportsOf(db, { cplc, requestedBy: actor.id }) }
}

/** Wraps the keys of an approved export. Idempotent. */
export async function wrapKeys(
  { db, keys: { vault } }: KeyContext,
  { id: approvalId, requestedBy }: Pick<Approval, 'id' | 'requestedBy'>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const wanted = await findExport(tx, approvalId)
    if (!wanted) throw new JobError('not_found', 'The element was deleted.', { isFinal: true })
    const { id, keySet, sealed, wrapping, transportCheckValue } = wanted
    if (!sealed) return
    const cplc = (await findSet(tx, keySet))?.cplc ?? ''
    const set = (await setsOf(tx, cplc, ['active', 'old'])).find((each) => each.id === keySet)
    if (!set?.sealed)
      throw new JobError('key_missing', 'The keys were retired, or moved into the HSM.', {
        isFinal: true,
      })
    const { domain, version, protocol, algorithm } = set
    if (!keyWrappings.includes(wrapping))
      throw new JobError('unsupported', 'This release does not know the format.')
    const transport = readHex(await vault.openText(sealed, id))
    const keys = await vault.open(set)
    try {
      const wrapped = (name: 'enc' | 'mac' | 'dek') =>
        wrapping === 'TR-31'
          ? wrapKeyBlock(transport, {
              header: cardKeyHeader(name, algorithm, version),
              key: keys[name],
            })
          : toHex(wrapKey(transport, keys[name]))
      await storeWrapped(tx, id, {
        format: 'grove-keys',
        cplc,
        domain,
        version,
        protocol,
        checkValues: checkValuesOf(algorithm, keys),
        wrapping,
        transportCheckValue,
        keys: { enc: wrapped('enc'), mac: wrapped('mac'), dek: wrapped('dek') },
      })
    } finally {
      for (const key of [transport, keys.enc, keys.mac, keys.dek]) key.fill(0)
    }
    await events.record(tx, requestActor(requestedBy, approvalId), 'key_set.wrap', cplc, {
      after: { id: keySet, version, domain, wrapping, transportCheckValue },
    })
  })
}
