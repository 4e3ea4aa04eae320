import { randomUUID } from 'node:crypto'
import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import { maxHandlerSecrets } from '@grove/contract/maple/program/handler.rules'
import type { Actor } from '../../../../core/actor.ts'
import type { Change } from '../../../../core/events/define-events.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { KeyContext } from '../../card/key/key-provider.ts'
import type { MapleDb } from '../../base/tables.ts'
import {
  deleteSecret,
  listSecrets,
  readSecrets,
  storeSecret,
  type SecretOwner,
} from './secret.queries.ts'

interface Given {
  name: string
  value: string
  /** Who set it. */
  by: string
}

type ById = { id: string }
type Named = ById & { name: string }

interface Rules {
  type: SecretOwner['type']
  /** Reads the program in the scope of the actor. @throws ProblemError `not_found`. */
  required: (db: MapleDb, actor: Actor, id: string) => Promise<unknown>
  /** Writes the event. */
  record: (
    tx: MapleDb,
    actor: Actor,
    action: 'set_secret' | 'delete_secret',
    id: string,
    change: Change,
  ) => Promise<void>
}

/** Lists, sets and deletes the secrets of programs; their values are never returned. */
export const programSecrets = ({ type, required, record }: Rules) => ({
  /** @throws ProblemError `not_found`. */
  async list({ db }: KeyContext, actor: Actor, { id }: ById): Promise<{ items: ProgramSecret[] }> {
    await required(db, actor, id)
    return { items: await listSecrets(db, { type, id }) }
  },

  /** @throws ProblemError `not_found`, `limit_reached` or `vault_unavailable`. */
  async set(
    context: KeyContext,
    actor: Actor,
    { id, name, value }: Named & { value: string },
  ): Promise<ProgramSecret> {
    await required(context.db, actor, id)
    const owner = { type, id }
    const names = (await listSecrets(context.db, owner)).map((secret) => secret.name)
    if (!names.includes(name) && names.length >= maxHandlerSecrets)
      throw new ProblemError(
        'limit_reached',
        `A program can have at most ${maxHandlerSecrets} secrets.`,
      )
    return keepSecret(context, owner, { name, value, by: actor.id }, (tx) =>
      record(tx, actor, 'set_secret', id, { after: { name } }),
    )
  },

  /** @throws ProblemError `not_found`. */
  async remove({ db }: KeyContext, actor: Actor, { id, name }: Named): Promise<null> {
    await required(db, actor, id)
    await db.transaction().execute(async (tx) => {
      if (!(await deleteSecret(tx, { type, id }, name)))
        throw new ProblemError('not_found', `The program has no secret ${name}.`)
      await record(tx, actor, 'delete_secret', id, { before: { name } })
    })
    return null
  },
})

/** Seals a value and stores it in place of the one before. @throws ProblemError `vault_unavailable`. */
export async function keepSecret(
  { db, keys }: KeyContext,
  owner: SecretOwner,
  { name, value, by }: Given,
  record: (tx: MapleDb) => Promise<void>,
): Promise<ProgramSecret> {
  const id = randomUUID()
  const sealed = await keys.vault.keepText(id, value)
  return db.transaction().execute(async (tx) => {
    const stored = await storeSecret(tx, owner, { id, name, sealed, by })
    await record(tx)
    return stored
  })
}

/** The values of a program's secrets by name, for a run or a webhook. */
export async function openSecrets(
  { db, keys }: Pick<KeyContext, 'keys'> & { db: MapleDb },
  owner: SecretOwner,
  name?: string,
): Promise<Map<string, string>> {
  const kept = await readSecrets(db, owner, name)
  const values = await Promise.all(
    kept.map(
      async ({ id, name: of, sealed }) => [of, await keys.vault.openText(sealed, id)] as const,
    ),
  )
  return new Map(values)
}
