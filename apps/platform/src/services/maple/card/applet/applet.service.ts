import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { Applet } from '@grove/contract/maple/card/applet'
import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import type { AppletState } from '@grove/contract/maple/card/applet.rules'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { appletEvents as events } from '../context.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { lockFile } from '../../fleet/device-import/device-import.queries.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { assertAllowed, rightsOf } from '../card.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import * as queries from './applet.queries.ts'
import { describeCap, readCap } from './read-cap.ts'
import { verifyCap } from './verify-cap.ts'

type Context = Pick<FleetContext, 'db' | 'objects'>
type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'applet'

/** A file from a request. */
export interface IncomingFile {
  fileName: string
  stream: Readable
  assertComplete: () => Promise<void>
}

/** @throws BadCursorError */
export async function listApplets(
  { db }: Context,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/applets']>,
): Promise<ResponseOf<Calls['GET /api/maple/applets']>> {
  const page = await queries.readApplets(db, query, scopeOf(actor))
  return { ...page, items: page.items.map((applet) => withRights(actor, applet)) }
}

/** @throws ProblemError `not_found`. */
export async function readApplet({ db }: Context, actor: Actor, { id }: ById): Promise<Applet> {
  return withRights(actor, await required(db, actor, id))
}

/** @throws ProblemError `applet_unreadable`, `already_exists` or `service_suspended`. */
export async function uploadApplet(
  { db, objects }: Context,
  actor: Actor,
  { file }: { file: IncomingFile },
): Promise<Applet> {
  const staged = await objects.stage(file.stream)
  try {
    await file.assertComplete()
    const described = await describeCap(readCap(await readFile(staged.path)))
    const serviceId = serviceOf(scopeOf(actor))
    const { sha256, bytes } = staged
    return await db.transaction().execute(async (tx) => {
      if (serviceId !== null) await assertOpenService(tx, serviceId)
      // Nobody can remove the same content meanwhile.
      await lockFile(tx, sha256)
      const same = await queries.findSameFile(tx, sha256, serviceId)
      if (same)
        throw new ProblemError(
          'already_exists',
          `This file has already been uploaded, as ${same.name}.`,
        )
      const id = await queries.insertApplet(tx, {
        ...described,
        serviceId,
        fileName: shownName(file.fileName),
        bytes,
        sha256,
        createdBy: actor.id,
      })
      await staged.keep()
      return audited(tx, actor, 'applet.upload', id)
    })
  } finally {
    await staged.discard()
  }
}

const shownName = (name: string) => name.toWellFormed().replaceAll(/\p{Cc}/gu, '') || 'applet.cap'

/** The bytes of the CAP file. @throws ProblemError `not_found` or `file_damaged`. */
export async function openFile(context: Context, actor: Actor, { id }: ById) {
  const { sha256, fileName } = await required(context.db, actor, id)
  return { fileName, stream: await openBytes(context, sha256) }
}

/** The stored bytes of a CAP file. @throws ProblemError `file_damaged`. */
export async function openBytes({ objects }: Context, sha256: string): Promise<Readable> {
  const object = await objects.read(sha256)
  if (!object)
    throw new ProblemError(
      'file_damaged',
      `The stored file ${sha256} is missing. An administrator can put it back from a backup.`,
    )
  return object.stream
}

/** The CAP file of an applet. @throws ProblemError `file_damaged`. */
export const readCapOf = async (context: Context, { sha256 }: Pick<Applet, 'sha256'>) =>
  readCap(await buffer(await openBytes(context, sha256)))

const actionOf = {
  verified: 'applet.verify',
  released: 'applet.release',
  revoked: 'applet.revoke',
} as const

/** @throws ProblemError `not_found`, `edit_conflict`, `transition_refused` or `applet_refused`. */
export async function changeState(
  context: Context,
  actor: Actor,
  { id, revision, state }: AtRevision & { state: keyof typeof actionOf },
): Promise<Applet> {
  const { db } = context
  const found = atRevision(await queries.findApplet(db, id, scopeOf(actor)), revision, what)
  if (found.state === state) return withRights(actor, found)
  assertAllowed(actor, 'applet.move', { state: found.state, to: state })
  if (state === 'verified') await verifyCap(await readCapOf(context, found))
  return db.transaction().execute(async (tx) => {
    const before = await queries.lockApplet(tx, id, scopeOf(actor))
    atRevision(before, found.revision, what)
    await queries.setAppletState(tx, id, state)
    return audited(tx, actor, actionOf[state], id, before)
  })
}

/** @throws ProblemError `not_found`, `edit_conflict`, or `applet_in_use` while an element has it. */
export async function removeApplet(
  { db, objects }: Context,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockApplet(tx, id, scopeOf(actor)), revision, what)
    assertAllowed(actor, 'applet.delete', { elements: await queries.countInstalled(tx, id) })
    // First, while the applet still tells the event's service provider.
    await events.record(tx, actor, 'applet.delete', id, { before })
    await lockFile(tx, before.sha256)
    await queries.deleteApplet(tx, id)
    if (!(await queries.isFileUsed(tx, before.sha256))) await objects.remove(before.sha256)
  })
  return null
}

/** @throws ProblemError `not_found`. */
export async function readImpact({ db }: Context, actor: Actor, { id }: ById) {
  await required(db, actor, id)
  return { elements: await queries.countInstalled(db, id) }
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listInstalled(
  { db }: Context,
  actor: Actor,
  { id, ...query }: ById & QueryOf<Calls['GET /api/maple/applets/{id}/installed']>,
): Promise<ResponseOf<Calls['GET /api/maple/applets/{id}/installed']>> {
  await required(db, actor, id)
  return queries.installedList.read(db, query, id)
}

/** @throws ProblemError `not_found`. */
export async function readInstalledOn(
  { db }: Context,
  actor: Actor,
  { cplc: given }: { cplc: string },
): Promise<ResponseOf<Calls['GET /api/maple/se/applets']>> {
  const cplc = readCplc('cplc', given)
  const scope = scopeOf(actor)
  if (!(await queries.isElementOf(db, cplc, scope)))
    throw new ProblemError('not_found', `There is no element ${cplc}.`)
  return queries.installedOn(db, cplc, scope)
}

/** @throws ProblemError `not_found`, also for another service provider's applet. */
export async function required(
  db: Context['db'],
  actor: Actor,
  id: string,
): Promise<queries.AppletFacts> {
  const found = await queries.findApplet(db, id, scopeOf(actor))
  if (!found) throw new ProblemError('not_found', `There is no applet ${id}.`)
  return found
}

async function audited(
  tx: Context['db'],
  actor: Actor,
  action: Parameters<typeof events.record>[2],
  id: string,
  before?: queries.AppletFacts,
): Promise<Applet> {
  const after = await required(tx, actor, id)
  await events.record(tx, actor, action, id, { before, after })
  return withRights(actor, after)
}

const nextStates = ['verified', 'released', 'revoked'] as const satisfies AppletState[]

export function withRights(actor: Actor, applet: queries.AppletFacts): Applet {
  const [verify, release, revoke] = nextStates.map(
    (to) => rightsOf(actor, { state: applet.state, to }, { move: 'applet.move' }).move,
  )
  const { install } = rightsOf(actor, applet, { install: 'applet.install' })
  return {
    ...applet,
    // Whether elements have it is checked at deletion.
    rights: {
      verify: verify ?? null,
      release: release ?? null,
      revoke: revoke ?? null,
      install,
      delete: null,
    },
  }
}
