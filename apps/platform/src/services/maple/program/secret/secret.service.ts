import { randomUUID } from 'node:crypto'
import type { ProgramSecret } from '@grove/contract/maple/program/program-secret'
import { maxHandlerSecrets } from '@grove/contract/maple/program/handler.rules'
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

/** Writes an event in the transaction of the change. */
type Record = (tx: MapleDb) => Promise<void>

interface Given {
  name: string
  value: string
  /** Who set it. */
  by: string
}

/** Sets the secret of a program that a person named. @throws ProblemError `limit_reached` or `vault_unavailable`. */
export async function setSecret(
  context: KeyContext,
  owner: SecretOwner,
  given: Given,
  record: Record,
): Promise<ProgramSecret> {
  const names = (await listSecrets(context.db, owner)).map(({ name }) => name)
  if (!names.includes(given.name) && names.length >= maxHandlerSecrets)
    throw new ProblemError(
      'limit_reached',
      `A program can have at most ${maxHandlerSecrets} secrets.`,
    )
  return keepSecret(context, owner, given, record)
}

/** Seals a value and stores it in place of the one before. @throws ProblemError `vault_unavailable`. */
export async function keepSecret(
  { db, keys }: KeyContext,
  owner: SecretOwner,
  { name, value, by }: Given,
  record: Record,
): Promise<ProgramSecret> {
  const id = randomUUID()
  const sealed = await keys.vault.keepText(id, value)
  return db.transaction().execute(async (tx) => {
    const stored = await storeSecret(tx, owner, { id, name, sealed, by })
    await record(tx)
    return stored
  })
}

/** @throws ProblemError `not_found`. */
export async function removeSecret(
  { db }: Pick<KeyContext, 'db'>,
  owner: SecretOwner,
  name: string,
  record: Record,
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    if (!(await deleteSecret(tx, owner, name)))
      throw new ProblemError('not_found', `The program has no secret ${name}.`)
    await record(tx)
  })
  return null
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
