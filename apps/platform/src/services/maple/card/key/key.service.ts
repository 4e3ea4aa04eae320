import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { KeySet, MasterKey } from '@grove/contract/maple/card/key'
import { maxMasters } from '@grove/contract/maple/card/key.rules'
import { chipId } from '@grove/secure-element/cplc'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { everything, scopeOf, serviceOf } from '../../../../core/scope.ts'
import { keyEvents as events } from '../context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { findElement } from '../../fleet/element/element.queries.ts'
import { lockElementFor } from '../session/session.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { forgetLabel } from './hsm-leftovers.ts'
import type { KeyContext } from './key-provider.ts'
import { assertMaster, openWrapped, readKeys, storedDomain } from './given-keys.ts'
import { algorithmOf, checkValuesOf, makeKeySet } from './key-source.ts'
import { findMismatch, findSet, insertKeySet, listSets, retireSet } from './key.queries.ts'
import { deleteMaster, insertMaster, isMasterUsed, listMasters } from './master.queries.ts'
import { hasOpenRotation, latestRotation } from './rotation.queries.ts'
import { shown } from './rotation.service.ts'

type Import = BodyOf<Calls['POST /api/maple/se/keys']>

async function assertElement(tx: MapleDb, actor: Actor, cplc: string): Promise<void> {
  if (!(await lockElementFor(tx, cplc, scopeOf(actor))))
    throw new ProblemError('not_found', `There is no element ${cplc}.`)
}

export async function listKeys(
  { db, keys }: KeyContext,
  actor: Actor,
  given: { cplc: string },
): Promise<ResponseOf<Calls['GET /api/maple/se/keys']>> {
  const cplc = readCplc('cplc', given.cplc)
  await db.transaction().execute((tx) => assertElement(tx, actor, cplc))
  const [items, rotation, mismatch, element] = await Promise.all([
    listSets(db, cplc),
    latestRotation(db, cplc),
    findMismatch(db, cplc),
    findElement(db, cplc, everything),
  ])
  return {
    items,
    rotation: rotation ? shown(rotation) : null,
    mismatch: mismatch ?? null,
    hasHsm: keys.hsm !== null,
    isBlocked: element?.state === 'blocked',
    hsmProblem: items.some(isInHsm) ? await problemOf(keys) : null,
  }
}

const isInHsm = ({ custody, state }: KeySet) => custody === 'hsm' && state !== 'retired'

/** Keys stay in an HSM whose settings were removed. */
const problemOf = async ({ hsm }: KeyContext['keys']): Promise<string | null> =>
  hsm ? ((await hsm.check())?.code ?? null) : 'hsm_unavailable'

/**
 * Stores keys where those of the element are kept.
 * @throws ProblemError `invalid_request`, `not_found`, `already_exists`, or the errors of the vault
 * or the HSM.
 */
export async function importKeys(
  context: KeyContext,
  actor: Actor,
  { version, protocol, wrapped, checkValues, masterId, diversification, ...given }: Import,
): Promise<KeySet> {
  const cplc = readCplc('cplc', given.cplc)
  if (given.keys && wrapped)
    throw invalidField('wrapped', 'conflict', 'Send either keys or wrapped.')
  const algorithm = algorithmOf(protocol)
  const keys = wrapped ? openWrapped(algorithm, wrapped) : given.keys
  if ((keys === undefined) === (masterId === undefined))
    throw invalidField('keys', 'required', 'Send either keys or masterId.')
  if ((masterId === undefined) !== (diversification === undefined))
    throw invalidField('diversification', 'required', 'Send diversification with masterId.')
  const clear = keys && readKeys(algorithm, keys, checkValues)
  await context.db.transaction().execute((tx) => assertElement(tx, actor, cplc))
  const custody = (await findElement(context.db, cplc, everything))?.hsm ? 'hsm' : 'vault'
  const domain = await storedDomain(context.db, cplc, given.domain)
  const made =
    clear &&
    (await makeKeySet(context, {
      cplc,
      domain,
      version,
      protocol,
      keys: clear,
      origin: 'imported',
      custody,
    }))
  return context.db
    .transaction()
    .execute(async (tx) => {
      await assertElement(tx, actor, cplc)
      if (made) await insertKeySet(tx, made)
      const id = made
        ? made.id
        : await addDiversified(tx, actor, {
            cplc,
            domain,
            version,
            protocol,
            masterId,
            diversification,
          })
      const after = await findSet(tx, id)
      if (!after) throw new Error('a new key set is there')
      const { cplc: _cplc, hsmLabel: _hsmLabel, ...set } = after
      await events.record(tx, actor, 'key_set.import', cplc, { after: set })
      return set
    })
    .catch(async (error: unknown) => {
      const label = made?.kept.hsmLabel
      if (label) await forgetLabel(context, label)
      throw error
    })
}

async function addDiversified(
  tx: MapleDb,
  actor: Actor,
  {
    masterId = '',
    diversification = 'KDF3',
    ...set
  }: Pick<Import, 'cplc' | 'version' | 'protocol' | 'masterId' | 'diversification'> & {
    domain: string | null
  },
): Promise<string> {
  const algorithm = algorithmOf(set.protocol)
  await assertMaster(tx, actor, { masterId, algorithm, diversification })
  const id = randomUUID()
  await insertKeySet(tx, {
    ...set,
    id,
    chipId: chipId(set.cplc),
    algorithm,
    keyLength: 16,
    checkValues: null,
    state: 'active',
    origin: 'diversified',
    kept: { custody: 'vault', sealed: null, hsmLabel: null },
    master: { id: masterId, diversification },
  })
  return id
}

/** @throws ProblemError `not_found` or `rotation_running`. */
export async function retireKeys(
  context: KeyContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  const { hsmLabel } = await context.db.transaction().execute(async (tx) => {
    const found = await findSet(tx, id)
    // The refusal does not name another owner's element.
    const element = found && (await lockElementFor(tx, found.cplc, scopeOf(actor)))
    if (!element) throw new ProblemError('not_found', 'There is no such key set.')
    const { cplc, version, state } = found
    if (await hasOpenRotation(tx, cplc))
      throw new ProblemError('rotation_running', 'The keys of this element are being changed.')
    if (state === 'retired') return found
    await retireSet(tx, id)
    await events.record(tx, actor, 'key_set.retire', cplc, {
      before: { id, version, state },
      after: { id, version, state: 'retired' },
    })
    return found
  })
  if (hsmLabel !== null) await forgetLabel(context, hsmLabel)
  return null
}

export const listMasterKeys = async ({ db }: KeyContext, actor: Actor) => ({
  items: (await listMasters(db, scopeOf(actor))).slice(0, maxMasters),
})

/** @throws ProblemError `invalid_request`, `already_exists` or `limit_reached`. */
export function importMaster(
  { db, keys: providers }: KeyContext,
  actor: Actor,
  { algorithm, keys, checkValues, ...given }: BodyOf<Calls['POST /api/maple/se/masters']>,
): Promise<MasterKey> {
  const name = storedName('name', given.name)
  const clear = readKeys(algorithm, keys, checkValues)
  const id = randomUUID()
  return db.transaction().execute(async (tx) => {
    const scope = scopeOf(actor)
    const known = await listMasters(tx, scope)
    if (known.length >= maxMasters)
      throw new ProblemError('limit_reached', `There can be ${maxMasters} master keys.`)
    const made = { id, name, algorithm, checkValues: checkValuesOf(algorithm, clear) }
    const sealed = await providers.vault.keepMaster({ id, algorithm }, clear)
    await insertMaster(tx, { ...made, serviceId: serviceOf(scope), sealed })
    await events.record(tx, actor, 'master.create', id, { after: made })
    const after = (await listMasters(tx, scope)).find((each) => each.id === id)
    if (!after) throw new Error('new master keys are there')
    return after
  })
}

/** @throws ProblemError `not_found` or `element_has_keys`. */
export function removeMaster(
  { db }: KeyContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = (await listMasters(tx, scopeOf(actor))).find((each) => each.id === id)
    if (!before) throw new ProblemError('not_found', 'There are no such master keys.')
    if (await isMasterUsed(tx, id))
      throw new ProblemError(
        'element_has_keys',
        'Keys of elements are made from these master keys.',
      )
    await deleteMaster(tx, id)
    await events.record(tx, actor, 'master.delete', id, { before })
    return null
  })
}
