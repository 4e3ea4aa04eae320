import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { QueryExecutorProvider } from 'kysely'
import type { ArtifactFacts, ArtifactMoves } from '@grove/contract/core/artifact'
import type { ArtifactState, ArtifactTransitions } from '@grove/contract/core/artifact.rules'
import type { Actor } from '../actor.ts'
import type { Listed, ListQuery } from '../database/define-list.ts'
import type { Events, JobAction } from '../events/define-events.ts'
import { atRevision } from '../http/at-revision.ts'
import { ProblemError } from '../http/problem.ts'
import { shownName, type IncomingFile } from '../http/upload.ts'
import { lockFile } from '../objects/lock-file.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { refusal } from '../policy.ts'
import { scopeOf, serviceOf } from '../scope.ts'
import type { Artifacts } from './define-artifacts.ts'

type ById = { id: string }
type AtRevision = ById & { revision: number | undefined }

/** What the functions need of a service's context, whichever tables it has. */
interface Context<Tx> {
  db: Tx & {
    transaction: () => { execute: <T>(change: (tx: Tx) => Promise<T>) => Promise<T> }
  }
  objects: ObjectStore
}

const actions = { verified: 'verify', released: 'release', revoked: 'revoke' } as const
type Action = 'upload' | 'delete' | (typeof actions)[keyof typeof actions]

interface Rules<Tx, Facts, Subject extends string, Shown> {
  /** What refusals call it, such as "image". */
  what: string
  /** The prefix of its events. */
  subject: Subject
  events: Pick<Events<`${Subject}.${Action}` | JobAction>, 'record'>
  transitions: ArtifactTransitions
  /** The name of a file that was sent without one. */
  unnamed: string
  /** Refuses a suspended service provider. @throws ProblemError */
  assertOpen: (tx: Tx, serviceId: string) => Promise<void>
  /** The columns stored for a file. @throws ProblemError if it cannot be read. */
  describe: (
    file: Uint8Array,
    fileName: string,
  ) => Promise<{ name: string; [column: string]: unknown }>
  /** Columns that change once the file is verified. @throws ProblemError if it is invalid. */
  verify: (db: Tx, file: Uint8Array, artifact: Facts) => Promise<Record<string, unknown>>
  /** Throws when it cannot be deleted. */
  assertUnused: (tx: Tx, actor: Actor, artifact: Facts) => Promise<void>
  /** Whether anything still needs the bytes. */
  isFileUsed: (tx: Tx, sha256: string) => Promise<boolean>
  shown: (actor: Actor, artifact: Facts, moves: ArtifactMoves) => Shown
}

/** The stored bytes of a file. @throws ProblemError `file_damaged`. */
export async function openBytes(
  { objects }: { objects: ObjectStore },
  sha256: string,
): Promise<Readable> {
  const object = await objects.read(sha256)
  if (object) return object.stream
  throw new ProblemError(
    'file_damaged',
    `The stored file ${sha256} is missing. An administrator can put it back from a backup.`,
  )
}

/** Lists, uploads, downloads and deletes artifacts, and changes their states. */
export function artifactService<
  Tx extends QueryExecutorProvider,
  Facts extends ArtifactFacts,
  Query extends ListQuery,
  Subject extends string,
  Shown,
>(artifacts: Artifacts<Facts, Query>, rules: Rules<Tx, Facts, Subject, Shown>) {
  const { what, subject, events } = rules

  /** Null if an artifact may become `to`. */
  function refusedMove(state: ArtifactState, to: ArtifactState) {
    const allowed = rules.transitions[state]
    if (allowed.includes(to)) return null
    return refusal(
      'transition_refused',
      allowed.length === 0
        ? `An ${what} that is ${state} stays ${state}.`
        : `An ${what} that is ${state} can become ${allowed.join(' or ')}, not ${to}.`,
    )
  }

  function shown(actor: Actor, artifact: Facts): Shown {
    const moveTo = (to: ArtifactState) => refusedMove(artifact.state, to)?.code ?? null
    return rules.shown(actor, artifact, {
      verify: moveTo('verified'),
      release: moveTo('released'),
      revoke: moveTo('revoked'),
    })
  }

  /** @throws ProblemError `not_found`, also for another service provider's artifact. */
  async function required(db: Tx, actor: Actor, id: string): Promise<Facts> {
    const found = await artifacts.find(db, id, scopeOf(actor))
    if (!found) throw new ProblemError('not_found', `There is no ${what} ${id}.`)
    return found
  }

  const locked = async (tx: Tx, actor: Actor, { id, revision }: AtRevision) =>
    atRevision(await artifacts.lock(tx, id, scopeOf(actor)), revision, what)

  async function audited(tx: Tx, actor: Actor, action: Action, id: string, before?: Facts) {
    const after = await required(tx, actor, id)
    await events.record(tx, actor, `${subject}.${action}`, id, { before, after })
    return shown(actor, after)
  }

  return {
    required,
    locked,
    shown,

    /** @throws BadCursorError */
    list: async ({ db }: { db: Tx }, actor: Actor, query: Query): Promise<Listed<Shown>> => {
      const page = await artifacts.list.read(db, query, scopeOf(actor))
      return { ...page, items: page.items.map((item) => shown(actor, item)) }
    },

    /** @throws ProblemError `not_found`. */
    read: async ({ db }: { db: Tx }, actor: Actor, { id }: ById): Promise<Shown> =>
      shown(actor, await required(db, actor, id)),

    /** @throws ProblemError `already_exists`, `service_suspended`, or what `describe` throws. */
    upload: async (
      { db, objects }: Context<Tx>,
      actor: Actor,
      { file }: { file: IncomingFile },
    ): Promise<Shown> => {
      const staged = await objects.stage(file.stream)
      try {
        await file.assertComplete()
        const fileName = shownName(file.fileName, rules.unnamed)
        const described = await rules.describe(await readFile(staged.path), fileName)
        const serviceId = serviceOf(scopeOf(actor))
        const { sha256, bytes } = staged
        return await db.transaction().execute(async (tx) => {
          if (serviceId !== null) await rules.assertOpen(tx, serviceId)
          // Nobody can remove the same content meanwhile.
          await lockFile(tx, sha256)
          const same = await artifacts.findSame(tx, sha256, serviceId)
          if (same)
            throw new ProblemError(
              'already_exists',
              `This file has already been uploaded, as ${same.name}.`,
            )
          const id = await artifacts.insert(tx, {
            ...described,
            service_id: serviceId,
            file_name: fileName,
            bytes,
            sha256,
            created_by: actor.id,
          })
          await staged.keep()
          return audited(tx, actor, 'upload', id)
        })
      } finally {
        await staged.discard()
      }
    },

    /** @throws ProblemError `not_found` or `file_damaged`. */
    openFile: async ({ db, objects }: Context<Tx>, actor: Actor, { id }: ById) => {
      const { sha256, fileName } = await required(db, actor, id)
      return { fileName, unnamed: rules.unnamed, stream: await openBytes({ objects }, sha256) }
    },

    /**
     * @throws ProblemError `not_found`, `edit_conflict`, `transition_refused`, or what `verify` throws.
     */
    changeState: async (
      { db, objects }: Context<Tx>,
      actor: Actor,
      { state, ...at }: AtRevision & { state: keyof typeof actions },
    ): Promise<Shown> => {
      const stored = await artifacts.find(db, at.id, scopeOf(actor))
      const found = atRevision(stored, at.revision, what)
      if (found.state === state) return shown(actor, found)
      const refused = refusedMove(found.state, state)
      if (refused) throw new ProblemError(refused.code, refused.detail)
      const further =
        state === 'verified'
          ? await rules.verify(db, await buffer(await openBytes({ objects }, found.sha256)), found)
          : {}
      return db.transaction().execute(async (tx) => {
        // The verified revision is the one that changes.
        const before = await locked(tx, actor, { id: at.id, revision: found.revision })
        await artifacts.update(tx, at.id, { state, ...further })
        return audited(tx, actor, actions[state], at.id, before)
      })
    },

    /** @throws ProblemError `not_found`, `edit_conflict`, or what `assertUnused` throws. */
    remove: async ({ db, objects }: Context<Tx>, actor: Actor, at: AtRevision): Promise<null> => {
      await db.transaction().execute(async (tx) => {
        const before = await locked(tx, actor, at)
        await rules.assertUnused(tx, actor, before)
        // First, while the artifact still provides the event's service provider.
        await events.record(tx, actor, `${subject}.delete`, at.id, { before })
        await lockFile(tx, before.sha256)
        await artifacts.delete(tx, at.id)
        if (!(await rules.isFileUsed(tx, before.sha256))) await objects.remove(before.sha256)
      })
      return null
    },
  }
}
