import { sql, type QueryExecutorProvider } from 'kysely'

/** A user of the authentication service on this database. */
export interface Person {
  id: string
  isClosed: boolean
}

export type Found =
  | Person
  /** The service knows no such user. */
  | 'unknown'
  /** Users come from a service elsewhere, unknown to this database. */
  | 'elsewhere'

/** The email addresses of users by id, as far as this database knows them. */
export async function emailsOf(
  db: QueryExecutorProvider,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; email: string }>`
    select id, email from platform.person where id = any(${ids}) and email is not null
  `.execute(db)
  return new Map(rows.map(({ id, email }) => [id, email]))
}

/**
 * The user of an id or an email address. A directory that knows the caller, by their verified token,
 * knows everybody; one that does not is useless, since tokens then come from elsewhere.
 */
export async function findPerson(
  db: QueryExecutorProvider,
  asker: string,
  idOrEmail: string,
): Promise<Found> {
  const text = idOrEmail.trim().toLowerCase()
  const { rows } = await sql<{ isHere: boolean; id: string | null; isClosed: boolean | null }>`
    select exists (select from platform.person where id = ${asker}) as "isHere",
      person.id, person.is_closed as "isClosed"
    from (values (${text}::text)) as asked (who)
    left join platform.person as person on person.id = asked.who or person.email = asked.who
    limit 1`.execute(db)
  const [row] = rows
  if (!row?.isHere) return 'elsewhere'
  return row.id === null ? 'unknown' : { id: row.id, isClosed: row.isClosed === true }
}
