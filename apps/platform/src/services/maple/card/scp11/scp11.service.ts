import { randomUUID } from 'node:crypto'
import type { BodyOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Scp11Credential } from '@grove/contract/maple/card/scp11'
import { maxCredentials, provesHost } from '@grove/contract/maple/card/scp11.rules'
import { readHex, toHex } from '@grove/secure-element/bytes'
import { keyIdentifier } from '@grove/secure-element/secure-channel/certificate'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { readCplc } from '../../base/cplc-text.ts'
import type { MapleDb } from '../../base/tables.ts'
import { scp11Events as events } from '../context.ts'
import type { KeyContext } from '../key/key-provider.ts'
import { lockElementFor } from '../session/session.queries.ts'
import { certificatesIn, pemOf, readAuthorities, readHost } from './scp11-material.ts'
import * as queries from './scp11.queries.ts'

type Listed = ResponseOf<Calls['GET /api/maple/se/scp11']>

async function assertElement(tx: MapleDb, actor: Actor, cplc: string) {
  const found = await lockElementFor(tx, cplc, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no element ${cplc}.`)
  return found
}

const listed = async (db: MapleDb, actor: Actor, cplc: string): Promise<Listed> => ({
  items: (await queries.credentialsFor(db, { cplc, scope: scopeOf(actor) })).map(shownOf),
})

/** @throws ProblemError `not_found`. */
export function listCredentials(
  { db }: KeyContext,
  actor: Actor,
  given: { cplc: string },
): Promise<Listed> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    await assertElement(tx, actor, cplc)
    return listed(tx, actor, cplc)
  })
}

/**
 * Stores credentials for the service provider of an element.
 * @throws ProblemError `not_found`, `invalid_request`, `already_exists`, `limit_reached` or
 * `vault_unavailable`.
 */
export async function addCredential(
  { db, now, keys: { vault } }: KeyContext,
  actor: Actor,
  { variant, keyVersion, keyLength = 16, ...given }: BodyOf<Calls['POST /api/maple/se/scp11']>,
): Promise<Scp11Credential> {
  const cplc = readCplc('cplc', given.cplc)
  const name = storedName('name', given.name)
  const authorities = readAuthorities(given.authorities).map(toHex)
  const host = provesHost(variant) ? hostOf(given, now()) : undefined
  const id = randomUUID()
  const sealed = host ? await vault.keepText(id, pemOf(host.key)) : null
  return db.transaction().execute(async (tx) => {
    const { serviceId } = await assertElement(tx, actor, cplc)
    if ((await queries.countCredentials(tx, serviceId)) >= maxCredentials)
      throw new ProblemError(
        'limit_reached',
        `A service provider can have ${maxCredentials} sets of credentials.`,
      )
    await queries.insertCredential(tx, {
      id,
      serviceId,
      name,
      variant,
      keyVersion,
      keyLength,
      authorities,
      certificates: (host?.certificates ?? []).map(({ bytes }) => toHex(bytes)),
      authorityVersion: host?.authority.keyVersion ?? null,
      authorityKeyId: host?.authority.keyId ?? null,
      sealed,
      createdBy: actor.id,
    })
    const after = shownOf(await visibleCredential(tx, actor, { id, cplc }))
    await events.record(tx, actor, 'scp11.create', cplc, { after })
    return after
  })
}

function hostOf(
  {
    key,
    certificates,
    authority,
  }: Pick<BodyOf<Calls['POST /api/maple/se/scp11']>, 'key' | 'certificates' | 'authority'>,
  now: number,
) {
  const isMissing = (field: string) =>
    invalidField(
      field,
      'required',
      'The host proves itself with variants a and c, so this is needed.',
    )
  if (key === undefined) throw isMissing('key')
  if (certificates === undefined) throw isMissing('certificates')
  if (authority === undefined) throw isMissing('authority')
  return { ...readHost(key, certificates, now), authority }
}

/**
 * Chooses the credentials that open channels to an element; null for the card's own keys.
 * @throws ProblemError `not_found`.
 */
export function chooseDefault(
  { db }: KeyContext,
  actor: Actor,
  { id, ...given }: { cplc: string; id: string | null },
): Promise<Listed> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    await assertElement(tx, actor, cplc)
    const after = id === null ? null : await visibleCredential(tx, actor, { id, cplc })
    const before = await queries.findCredential(tx, { cplc, id: undefined })
    await queries.setDefault(tx, cplc, id)
    await events.record(tx, actor, 'scp11.choose', cplc, {
      before: { id: before?.id ?? null, name: before?.name ?? null },
      after: { id, name: after?.name ?? null },
    })
    return listed(tx, actor, cplc)
  })
}

/** @throws ProblemError `not_found`. */
export function removeCredential(
  { db }: KeyContext,
  actor: Actor,
  { id, ...given }: { id: string; cplc: string },
): Promise<null> {
  const cplc = readCplc('cplc', given.cplc)
  return db.transaction().execute(async (tx) => {
    await assertElement(tx, actor, cplc)
    const before = shownOf(await visibleCredential(tx, actor, { id, cplc }))
    await queries.deleteCredential(tx, id)
    await events.record(tx, actor, 'scp11.delete', cplc, { before })
    return null
  })
}

/**
 * The credentials with an id or a name.
 * @throws ProblemError `not_found`, also for another service provider's.
 */
export async function visibleCredential(
  db: MapleDb,
  actor: Actor,
  { id, cplc }: { id: string; cplc: string },
): Promise<queries.StoredCredential> {
  const all = await queries.credentialsFor(db, { cplc, scope: scopeOf(actor) })
  const found = all.find((each) => each.id === id) ?? all.find(({ name }) => name === id)
  if (!found) throw new ProblemError('not_found', 'There are no such credentials.')
  return found
}

/** The credentials as shown to people. */
function shownOf(stored: queries.StoredCredential): Scp11Credential {
  const { authorities, certificates, sealed: _, ...others } = stored
  const { authorityVersion: keyVersion, authorityKeyId: keyId, ...shown } = others
  const chain = certificatesIn(certificates)
  const last = chain.at(-1)
  return {
    ...shown,
    authorities: authorities.map((point) => keyIdentifier(readHex(point))),
    host:
      last && keyVersion !== null && keyId !== null
        ? {
            subject: last.subject,
            certificates: chain.length,
            validTo: new Date(Math.min(...chain.map(({ validTo }) => validTo))).toISOString(),
            authority: { keyVersion, keyId },
          }
        : null,
  }
}
