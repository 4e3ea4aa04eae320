import type {
  BodyOf,
  Calls,
  QueryOf,
  ResponseOf,
  Script,
  ScriptProblem,
  ScriptVersion,
} from '@grove/contract'
import { scopeOf, type Actor } from '../../../core/actor.ts'
import { atRevision } from '../../../core/http/at-revision.ts'
import { invalidField, ProblemError } from '../../../core/http/problem.ts'
import { storedName } from '../../../core/http/stored-name.ts'
import type { Sandbox } from '../../../core/sandbox/sandbox.ts'
import { scriptEvents as events, type MapleContext } from '../context.ts'
import { demandOpenService } from '../service/service.service.ts'
import * as queries from './script.queries.ts'

type Context = MapleContext & { sandbox: Sandbox }
type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

const what = 'script'
export const scriptFile = 'script.js'

/** Whose turn a program of this actor takes: administrators outside of any stage share one. */
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
  const serviceId = scopeOf(actor)
  const name = storedName('name', given.name)
  return db.transaction().execute(async (tx) => {
    if (serviceId !== null) await demandOpenService(tx, serviceId)
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

/** What is wrong with a text as JavaScript, or null. @throws ProblemError `limit_reached`. */
export async function checkScript(
  { sandbox }: Context,
  actor: Actor,
  { code }: { code: string },
): Promise<{ problem: ScriptProblem | null }> {
  const found = await sandbox.check({ owner: ownerOf(scopeOf(actor)), code, name: scriptFile })
  if (!found) return { problem: null }
  const { name, message, line, column } = found
  return { problem: { name, message, line, column } }
}

/**
 * Publishes the draft.
 * @throws ProblemError `not_found`, `edit_conflict`, or `invalid_request` for what is no JavaScript.
 */
export async function publishScript(
  context: Context,
  actor: Actor,
  { id, revision, note = '' }: AtRevision & { note?: string | undefined },
): Promise<ScriptVersion> {
  const found = atRevision(await queries.findScript(context.db, id, scopeOf(actor)), revision, what)
  if (found.draft.trim() === '')
    throw invalidField('draft', 'required', 'The draft is empty: there is nothing to publish.')
  const { problem } = await checkScript(context, actor, { code: found.draft })
  if (problem) throw syntaxProblem(problem)
  return context.db.transaction().execute(async (tx) => {
    atRevision(await queries.lockScript(tx, id, scopeOf(actor)), found.revision, what)
    const version = await queries.insertVersion(tx, id, {
      code: found.draft,
      note,
      restoredFrom: null,
      publishedBy: actor.id,
    })
    await events.record(tx, actor, 'script.publish', id, { after: auditedVersion(version) })
    return version
  })
}

function syntaxProblem({ message, line, column }: ScriptProblem): ProblemError {
  const at = line === null ? '' : `Line ${line}: `
  return invalidField('draft', 'syntax', `${at}${message}.`, {
    message,
    ...(line !== null && { line }),
    ...(column !== null && { column }),
  })
}

/** @throws ProblemError `not_found` or `edit_conflict`. */
export function rollBackScript(
  { db }: MapleContext,
  actor: Actor,
  { id, revision, number, note = '' }: AtRevision & { number: number; note?: string | undefined },
): Promise<ScriptVersion> {
  return db.transaction().execute(async (tx) => {
    atRevision(await queries.lockScript(tx, id, scopeOf(actor)), revision, what)
    const { code } = await versionOf(tx, { scriptId: id, number })
    const version = await queries.insertVersion(tx, id, {
      code,
      note,
      restoredFrom: number,
      publishedBy: actor.id,
    })
    await events.record(tx, actor, 'script.rollback', id, { after: auditedVersion(version) })
    return version
  })
}

/** @throws ProblemError `not_found`; BadCursorError. */
export async function listVersions(
  context: MapleContext,
  actor: Actor,
  { id, query }: ById & { query: QueryOf<Calls['GET /api/maple/scripts/{id}/version']> },
): Promise<ResponseOf<Calls['GET /api/maple/scripts/{id}/version']>> {
  await readScript(context, actor, { id })
  return queries.versionList.read(context.db, query, id)
}

/** @throws ProblemError `not_found`. */
export async function readVersion(
  context: MapleContext,
  actor: Actor,
  { id, number }: ById & { number: number },
): Promise<ScriptVersion> {
  await readScript(context, actor, { id })
  return versionOf(context.db, { scriptId: id, number })
}

/** @throws ProblemError `not_found`. */
export async function versionOf(
  db: MapleContext['db'],
  at: { scriptId: string; number: number },
): Promise<ScriptVersion> {
  const found = await queries.findVersion(db, at)
  if (!found) throw new ProblemError('not_found', `The script has no version ${at.number}.`)
  return found
}

/** The trail says which code it was, not the code itself. */
const audited = ({ name, note, draft, serviceId }: Script) => ({
  name,
  note,
  serviceId,
  draft: queries.sha256Of(draft),
})
const auditedVersion = ({ number, sha256, restoredFrom }: ScriptVersion) => ({
  number,
  sha256,
  ...(restoredFrom !== null && { restoredFrom }),
})
