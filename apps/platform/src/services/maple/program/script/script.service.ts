import type { BodyOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import type { Script, ScriptProblem } from '@grove/contract/maple/program/script'
import type { Actor } from '../../../../core/actor.ts'
import { invalidField, type ProblemError } from '../../../../core/http/problem.ts'
import { programService } from '../../../../core/program/program-service.ts'
import type { Sandbox } from '../../../../core/sandbox/sandbox.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { scriptEvents as events } from '../context.ts'
import type { MapleContext } from '../../base/context.ts'
import { assertOpenService } from '../../access/service/service.service.ts'
import { programSecrets } from '../secret/secret.service.ts'
import { scripts, sha256Of } from './script.queries.ts'

type Context = MapleContext & { sandbox: Sandbox }

export const scriptFile = 'script.js'

/**
 * The owner of this actor's programs for fair scheduling: administrators outside any stage share one.
 */
export const ownerOf = (serviceId: string | null): string => serviceId ?? ''

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
  list: listScripts,
  read: readScript,
  create: createScript,
  update: updateScript,
  remove: removeScript,
  publish: publishScript,
  rollBack: rollBackScript,
  listVersions,
  readVersion,
  versionOf,
  required,
} = programService(scripts, {
  what: 'script',
  assertOpen: assertOpenService,
  draftOf: (
    { note, draft }: Omit<BodyOf<Calls['PUT /api/maple/scripts/{id}']>, 'name'>,
    before: Script | undefined,
  ) => ({ note: note ?? before?.note ?? '', draft: draft ?? before?.draft ?? '' }),
  columnsOf: (draft) => draft,
  contentOf: ({ draft }) => ({ code: draft }),
  /** A draft is JavaScript. @throws ProblemError `invalid_request`. */
  async check(context: Context, actor, { draft }) {
    if (draft.trim() === '')
      throw invalidField('draft', 'required', 'The draft is empty: there is nothing to publish.')
    const { problem } = await checkScript(context, actor, { code: draft })
    if (problem) throw syntaxProblem(problem)
  },
  record: (tx, actor, action, id, { before, after, version }) =>
    events.record(
      tx,
      actor,
      `script.${action}`,
      id,
      version ? { after: version } : { before: audited(before), after: audited(after) },
    ),
  shownItem: (_actor, item) => item,
  shown: (_actor, script) => script,
})

export const scriptSecrets = programSecrets({
  type: 'script',
  required,
  record: (tx, actor, action, id, change) =>
    events.record(tx, actor, `script.${action}`, id, change),
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
const audited = (script: Script | undefined) =>
  script && {
    name: script.name,
    note: script.note,
    serviceId: script.serviceId,
    draft: sha256Of(script.draft),
  }
