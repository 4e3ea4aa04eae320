import type { Calls } from '@grove/contract/calls'
import type { QueryOf, ResponseOf } from '@grove/contract/call'
import { appletTransitions } from '@grove/contract/maple/card/applet.rules'
import type { Actor } from '../../../../core/actor.ts'
import { artifactService } from '../../../../core/artifact/artifact-service.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { scopeOf } from '../../../../core/scope.ts'
import { appletEvents as events } from '../context.ts'
import type { FleetContext } from '../../fleet/context.ts'
import { readCplc } from '../../base/cplc-text.ts'
import { isFileUsed } from '../../base/file-use.queries.ts'
import type { MapleDb } from '../../base/tables.ts'
import { assertAllowed, rightsOf } from '../card.policy.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import * as queries from './applet.queries.ts'
import { describeCap, readCap } from './read-cap.ts'
import { verifyCap } from './verify-cap.ts'

type Context = Pick<FleetContext, 'db'>
type ById = { id: string }

export const {
  list: listApplets,
  read: readApplet,
  upload: uploadApplet,
  openFile,
  changeState,
  remove: removeApplet,
  required,
} = artifactService(queries.applets, {
  what: 'applet',
  subject: 'applet',
  events,
  transitions: appletTransitions,
  unnamed: 'applet.cap',
  assertOpen: assertOpenService,
  describe: (file) => describeCap(readCap(file)),
  async verify(_db, file) {
    await verifyCap(readCap(file))
    return {}
  },
  async assertUnused(tx: MapleDb, actor, { id }) {
    assertAllowed(actor, 'applet.delete', { elements: await queries.countInstalled(tx, id) })
  },
  isFileUsed,
  shown: (actor, applet, moves) => ({
    ...applet,
    rights: {
      ...moves,
      ...rightsOf(actor, applet, { install: 'applet.install' }),
      // Whether elements have it is checked at deletion.
      delete: null,
    },
  }),
})

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
