import { sql, type QueryExecutorProvider } from 'kysely'
import { StartupError } from '../startup-error.ts'

interface IndexStatement {
  text: string
  kind: 'create' | 'drop'
  /** Including its schema. */
  index: string
}

const create =
  /^create (?:unique )?index concurrently (?:if not exists )?([a-z_\d]+)\s+on ([a-z_\d]+)\.[a-z_\d]+[\s(]/i
const drop = /^drop index concurrently if exists ([a-z_\d]+\.[a-z_\d]+)$/i

/** @throws StartupError for a statement that could not be repeated after an interruption. */
export function readIndexStatements(text: string, name: string): IndexStatement[] {
  const statements = text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
  return statements.map((statement) => {
    const [, index, schema] = create.exec(statement) ?? []
    if (index !== undefined) return { text: statement, kind: 'create', index: `${schema}.${index}` }
    const [, dropped] = drop.exec(statement) ?? []
    if (dropped !== undefined) return { text: statement, kind: 'drop', index: dropped }
    throw new StartupError(
      `Migration ${name} runs outside of a transaction and has "${statement.slice(0, 60)}"; it may have "create index concurrently NAME on SCHEMA.TABLE …" and "drop index concurrently if exists SCHEMA.NAME" alone.`,
    )
  })
}

/**
 * Runs each statement separately. An interrupted one left an invalid index, which is dropped first; a
 * completed one is skipped.
 */
export async function applyIndexStatements(
  db: QueryExecutorProvider,
  statements: readonly IndexStatement[],
): Promise<void> {
  for (const { text, kind, index } of statements) {
    const { rows } = await sql<{ isValid: boolean }>`
      select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${index})
    `.execute(db)
    const isValid = rows[0]?.isValid
    if (kind === 'create' && isValid === true) continue
    if (kind === 'create' && isValid === false)
      await sql`drop index concurrently ${sql.raw(index)}`.execute(db)
    await sql.raw(text).execute(db)
  }
}
