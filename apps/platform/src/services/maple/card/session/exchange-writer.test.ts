import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import { expect, test, vi } from 'vitest'
import type { MapleTables } from '../../base/tables.ts'
import { exchangeWriter, type LogWrite } from './exchange-writer.ts'

interface Lease {
  sessionId: string
  flight?: { seq: number } | null
  isKept: boolean
}

/** A database that completes a statement when the test says so. */
function heldDatabase() {
  const statements: { sessions: string[]; leases: Lease[]; answer: () => void }[] = []
  const connection: DatabaseConnection = {
    executeQuery: <Row>({ parameters }: CompiledQuery) =>
      new Promise<QueryResult<Row>>((resolve) => {
        const leases = JSON.parse(String(parameters[0])) as Lease[]
        const sessions = leases.map(({ sessionId }) => sessionId)
        const rows = sessions.map((id) => ({ id })) as Row[]
        statements.push({ sessions, leases, answer: () => resolve({ rows }) })
      }),
    streamQuery: () => {
      throw new Error('Nothing is streamed.')
    },
  }
  class HeldDriver extends DummyDriver {
    override acquireConnection = async () => connection
  }
  const db = new Kysely<MapleTables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new HeldDriver(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return { db, statements }
}

const start = () => {
  const { db, statements } = heldDatabase()
  const writer = exchangeWriter(db, 'process', () => {})
  const write = (sessionId: string, flight: LogWrite['flight'] = null) =>
    writer.write({
      sessionId,
      day: '2026-01-01',
      exchanges: 0,
      failed: 0,
      firstError: null,
      answered: [],
      flight,
    })
  const keep = (sessionId: string) =>
    writer.write({
      sessionId,
      day: '2026-01-01',
      exchanges: 1,
      failed: 0,
      firstError: null,
      answered: [],
      flight: undefined,
    })
  const sessions = () => statements.map((each) => each.sessions)
  return { write, keep, statements, sessions }
}
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`)

test('additions of sessions in one turn are one statement', async () => {
  const { write, sessions, statements } = start()
  const written = ['a', 'b', 'c'].map((id) => write(id))
  await vi.waitFor(() => expect(sessions()).toEqual([['a', 'b', 'c']]))
  statements[0]?.answer()
  expect(await Promise.all(written)).toEqual([true, true, true])
})

test('many additions wait neither for the rest of the turn, nor for a running statement', async () => {
  const { write, sessions } = start()
  for (const id of [...many('a', 16), ...many('b', 16)]) void write(id)
  await vi.waitFor(() => expect(sessions()).toEqual([many('a', 16), many('b', 16)]))
  for (const prefix of ['c', 'd', 'e']) for (const id of many(prefix, 16)) void write(id)
  await vi.waitFor(() => expect(sessions()).toHaveLength(3))
})

test('a write of a session waits for the previous one', async () => {
  const { write, sessions, statements } = start()
  const first = write('a')
  await vi.waitFor(() => expect(sessions()).toEqual([['a']]))
  const second = write('a')
  void write('b')
  await vi.waitFor(() => expect(sessions()).toEqual([['a'], ['b']]))
  statements[0]?.answer()
  expect(await first).toBe(true)
  await vi.waitFor(() => expect(sessions()).toEqual([['a'], ['b'], ['a']]))
  statements[2]?.answer()
  expect(await second).toBe(true)
})

test('a write that keeps its session’s commands also keeps those of an earlier write in the statement', async () => {
  const { write, keep, statements } = start()
  const flight = { seq: 7, at: '', step: null, ins: 0, command: null, sent: null, redacted: null }
  void write('a', flight)
  void keep('a')
  void keep('b')
  void write('c', flight)
  void write('c')
  await vi.waitFor(() => expect(statements).toHaveLength(1))
  expect(
    statements[0]?.leases.map(({ sessionId, flight: given, isKept }) => [
      sessionId,
      given?.seq ?? null,
      isKept,
    ]),
  ).toEqual([
    ['a', 7, false],
    ['b', null, true],
    ['c', null, false],
  ])
})
