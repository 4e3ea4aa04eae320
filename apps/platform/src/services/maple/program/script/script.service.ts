import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Script, ScriptProblem, ScriptVersion } from '@grove/contract/maple/program/script'
import type { Actor } from '../../../../core/actor.ts'
import { atRevision } from '../../../../core/http/at-revision.ts'
import { invalidField, type ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import type { Sandbox } from '../../../../core/sandbox/sandbox.ts'
import { versionService } from '../../../../core/versions/version-service.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { scriptEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import type { MapleDb } from '../../base/tables.ts'
import * as queries from './script.queries.ts'

type Context = MapleContext & { sandbox: Sandbox }
type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'script'
export const scriptFile = 'script.js'

/**
 * The owner of this actor's programs for fair scheduling: administrators outside any stage share one.
 */
export const ownerOf = (serviceId: string | null): string => serviceId ?? ''

/** @throws BadCursorError */
export const listScripts = (
  { db }: MapleContext,
  actor: Actor,
  query: QueryOf<Calls['GET /api/maple/scripts']>,
): Promise<ResponseOf<Calls['GET /api/maple/scripts']>> =>
  queries.readScripts(db, query, scopeOf(actor))

/** @throws ProblemError `not_found`. */
export const readScript = async (
  { db }: MapleContext,
  actor: Actor,
  { id }: ById,
): Promise<Script> => atRevision(await queries.findScript(db, id, scopeOf(actor)), undefined, what)

/** @throws ProblemError `already_exists` or `service_suspended`. */
export function createScript(
  { db }: MapleContext,
  actor: Actor,
  { note = '', draft = '', ...given }: BodyOf<Calls['POST /api/maple/scripts']>,
): Promise<Script> {
  const serviceId = serviceOf(scopeOf(actor))
  const name = storedName('name', given.name)
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await assertOpenService(tx, serviceId)
    const owned = { serviceId, createdBy: actor.id }
    const id = await queries.insertScript(tx, { name, note, draft }, owned)
    const after = await readScript({ db: tx, now: Date.now }, actor, { id })
    await events.record(tx, actor, 'script.create', id, { after: audited(after) })
    return after
  })
}

/** @throws ProblemError `not_found`, `edit_conflict` or `already_exists`. */
export function updateScript(
  { db, now }: MapleContext,
  actor: Actor,
  { id, revision, change }: AtRevision & { change: BodyOf<Calls['PUT /api/maple/scripts/{id}']> },
): Promise<Script> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockScript(tx, id, scopeOf(actor)), revision, what)
    const { note = before.note, draft = before.draft } = change
    const name = change.name === undefined ? before.name : storedName('name', change.name)
    if (name === before.name && note === before.note && draft === before.draft) return before
    await queries.changeScript(tx, id, { name, note, draft })
    const after = await readScript({ db: tx, now }, actor, { id })
    const [was, is] = [audited(before), audited(after)]
    await events.record(tx, actor, 'script.update', id, { before: was, after: is })
    return after
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function removeScript(
  { db }: MapleContext,
  actor: Actor,
  { id, revision }: AtRevision,
): Promise<null> {
  return db.transaction().execute(async (tx) => {
    const before = atRevision(await queries.lockScript(tx, id, scopeOf(actor)), revision, what)
    await events.record(tx, actor, 'script.delete', id, { before: audited(before) })
    await queries.deleteScript(tx, id)
    return null
  })
}

/** The syntax error of a text as JavaScript, or null. @throws ProblemError `limit_reached`. */
export async function checkScript(
  { sandbox }: Context,
  actor: Actor,
  { code }: { code: string },
): Promise<{ problem: ScriptProblem | null }> {
  const found = await sandbox.check({
    owner: ownerOf(serviceOf(scopeOf(actor))),
    code,
    name: scriptFile,
  })
  if (!found) return { problem: null }
  const { name, message, line, column } = found
  return { problem: { name, message, line, column } }
}

export const {
  publish: publishScript,
  rollBack: rollBackScript,
  list: listVersions,
  read: readVersion,
  versionOf,
} = versionService<MapleDb, Context, Script, Pick<ScriptVersion, 'code'>>({
  what,
  versions: queries.scriptVersions,
  find: queries.findScript,
  lock: queries.lockScript,
  contentOf: ({ draft }) => ({ code: draft }),
  /** A draft is JavaScript. @throws ProblemError `invalid_request`. */
  async check(context, actor, { draft }) {
    if (draft.trim() === '')
      throw invalidField('draft', 'required', 'The draft is empty: there is nothing to publish.')
    const { problem } = await checkScript(context, actor, { code: draft })
    if (problem) throw syntaxProblem(problem)
  },
  record: (tx, actor, action, id, after) =>
    events.record(tx, actor, `script.${action}`, id, { after }),
})

function syntaxProblem({ message, line, column }: ScriptProblem): ProblemError {
  const at = line === null ? '' : `Line ${line}: `
  return invalidField('draft', 'syntax', `${at}${message}.`, {
    message,
    ...(line !== null && { line }),
    ...(column !== null && { column }),
  })
}

/** The audit trail identifies the code, but does not contain it. */
const audited = ({ name, note, draft, serviceId }: Script) => ({
  name,
  note,
  serviceId,
  draft: queries.sha256Of(draft),
})
