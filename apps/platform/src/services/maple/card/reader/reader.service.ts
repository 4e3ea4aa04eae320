import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf, ResponseOf } from '@grove/contract/call'
import type { Calls } from '@grove/contract/calls'
import { maxReaders, pairingMinutes } from '@grove/contract/maple/card/reader.rules'
import type { Actor, AnonymousActor } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { storedName } from '../../../../core/http/stored-name.ts'
import { holdMaker } from '../../../../core/people/hold-maker.ts'
import { scopeOf, serviceOf } from '../../../../core/scope.ts'
import { readerEvents, type ReaderContext } from '../context.ts'
import {
  claimReader,
  countReaders,
  deleteReader,
  deleteUnclaimed,
  findReader,
  insertReader,
  readerList,
} from './reader.queries.ts'

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

type List = Calls['GET /api/maple/reader']

export const readReaders = (
  { db }: ReaderContext,
  actor: Actor,
  query: QueryOf<List>,
): Promise<ResponseOf<List>> => readerList.read(db, query, scopeOf(actor))

/** Without letters and digits that look alike (Crockford's base 32). */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const makeCode = () => Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('')
const shown = (code: string) => `${code.slice(0, 5)}-${code.slice(5)}`

type Create = Calls['POST /api/maple/reader']

/** A reader that may connect with a code. @throws ProblemError `limit_reached`. */
export async function createReader(
  { db }: ReaderContext,
  actor: Actor,
  { name: given }: BodyOf<Create>,
): Promise<ResponseOf<Create>> {
  const id = randomUUID()
  const code = makeCode()
  const name = storedName('name', given)
  const serviceId = serviceOf(scopeOf(actor))
  return db.transaction().execute(async (tx) => {
    await holdMaker(tx, actor)
    await deleteUnclaimed(tx)
    if ((await countReaders(tx, serviceId)) >= maxReaders)
      throw new ProblemError('limit_reached', `There are at most ${maxReaders} readers.`)
    const values = { id, serviceId, name, addedBy: actor.id, codeHash: hashOf(code) }
    const { codeExpiresAt } = await insertReader(tx, { ...values, minutes: pairingMinutes })
    await readerEvents.record(tx, actor, 'reader.create', id, { after: { id, name } })
    const made = await findReader(tx, id, scopeOf(actor))
    if (!made) throw new ProblemError('not_found', 'There is no such reader.')
    return { ...made, code: shown(code), codeExpiresAt }
  })
}

/** The reader's program is disconnected immediately. @throws ProblemError `not_found`. */
export async function removeReader(
  { db, readers }: ReaderContext,
  actor: Actor,
  { id }: { id: string },
): Promise<null> {
  await db.transaction().execute(async (tx) => {
    const before = await findReader(tx, id, scopeOf(actor))
    if (!before) throw new ProblemError('not_found', 'There is no such reader.')
    await readerEvents.record(tx, actor, 'reader.delete', id, { before: { id, name: before.name } })
    await deleteReader(tx, id)
  })
  readers.drop(id, 'removed')
  return null
}

/** The code is used up. @throws ProblemError `wrong_pairing_code`. */
export async function claim(
  { db }: ReaderContext,
  { origin }: AnonymousActor,
  { code }: BodyOf<Calls['POST /api/maple/reader/claim']>,
): Promise<{ id: string; name: string; key: string }> {
  const key = randomBytes(32).toString('base64url')
  const codeHash = hashOf(code.replace('-', '').toUpperCase())
  return db.transaction().execute(async (tx) => {
    const found = await claimReader(tx, { codeHash, keyHash: hashOf(key) })
    if (!found)
      throw new ProblemError(
        'wrong_pairing_code',
        'The pairing code is wrong, expired or already used. Create a new one.',
      )
    const { id, name, addedBy } = found
    await readerEvents.record(tx, { id: addedBy, origin }, 'reader.connect', id, {
      after: { id, name },
    })
    return { id, name, key }
  })
}
