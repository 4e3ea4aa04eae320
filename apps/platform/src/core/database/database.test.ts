import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../testing/test-database.ts'
import type { Database } from './database.ts'

let database: Database
beforeAll(async () => {
  database = await testDatabase([])
})
afterAll(() => database.close())

async function one(text: string): Promise<Record<string, unknown> | undefined> {
  const { rows } = await sql.raw<Record<string, unknown>>(text).execute(database.db)
  return rows[0]
}

describe('a query', () => {
  test('is the engine that the project is meant for', async () => {
    expect(database.engine).toBe(process.env['GROVE_TEST_ENGINE'])
    const row = await one('select version() as version')
    expect(String(row?.['version']).includes('PGlite')).toBe(database.engine === 'pglite')
    await database.ping()
  })

  test.each([
    ['9007199254740991::int8', 9007199254740991],
    ['array[1,null,3]::int8[]', [1, null, 3]],
    ["'2026-03-04 05:06:07.123456+02'::timestamptz", '2026-03-04T03:06:07.123456Z'],
    ["'2026-03-04 05:06:07'::timestamp", '2026-03-04T05:06:07.000000Z'],
    ["'2026-03-04 05:06:07.1'::timestamptz", '2026-03-04T05:06:07.100000Z'],
    ["array['2026-03-04 05:06:07.5+00']::timestamptz[]", ['2026-03-04T05:06:07.500000Z']],
    ["'infinity'::timestamptz", 'infinity'],
    ["'2026-03-04'::date", '2026-03-04'],
    ["array['2026-03-04'::date]", ['2026-03-04']],
    ['123456789012345678901234567890.5::numeric', '123456789012345678901234567890.5'],
    ['\'{"a":[1,null]}\'::jsonb', { a: [1, null] }],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
    ["array['a','b,c']", ['a', 'b,c']],
    ['true', true],
    ['1.5::float8', 1.5],
    ['null::int8', null],
  ])('gives %s as %j', async (expression, value) => {
    expect(await one(`select ${expression} as value`)).toEqual({ value })
  })
})
