import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountSorting, accountValidities } from '@grove/contract/maple/access/account.rules'
import {
  explaining,
  readsOf,
  rowsRead,
  type Plan,
} from '../../../../core/testing/explained-plans.ts'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { scopeOfService } from '../../../../core/scope.ts'
import { maple } from '../../index.ts'
import { readAccounts, type AccountQuery } from './account.queries.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer([maple])
})
afterAll(() => server.close())

test('every filter, sort and search reads ranges of an index, however many accounts there are', async () => {
  const { db } = server.platform
  const tables = (await maple.open(server.platform)).db
  await sql`insert into maple.service (id, name, name_key) values ('acme', 'Acme', 'acme')`.execute(
    db,
  )
  // A role and a service provider that most accounts have, and one of each that few have.
  await sql`
    insert into maple.account (id, roles, expires_at, service_id)
    select gen_random_uuid(),
      case when n % 1000 = 0 then '{viewer,auditor}' else '{viewer}' end::text[],
      now() + (n % 4000 - 2000) * interval '1 hour',
      case when n % 3 = 0 then 'acme' end
    from generate_series(1, 60000) as n`.execute(db)
  await sql`vacuum (analyze) maple.account, maple.account_role`.execute(db)
  const optional = <T>(values: readonly T[]) => [undefined, ...values]
  const queries: AccountQuery[] = accountSorting.by.flatMap((sort) =>
    optional(accountValidities).flatMap((validity) =>
      optional(['viewer', 'auditor', 'nobody']).flatMap((role) =>
        optional(['acme']).flatMap((serviceId) =>
          optional(['0', '0a1b2c']).map((q) => ({
            // The service's query for accounts by validity.
            sort: validity === undefined ? sort : 'expiresAt',
            ...(validity !== undefined && { validity }),
            ...(role !== undefined && { role }),
            ...(serviceId !== undefined && { serviceId }),
            ...(q !== undefined && { q }),
          })),
        ),
      ),
    ),
  )
  for (const query of queries)
    for (const scope of query.serviceId === undefined ? [null, 'acme'] : [null]) {
      const plans: Plan[] = []
      await readAccounts(
        tables.withPlugin(explaining('maple.account', plans)),
        query,
        scopeOfService(scope),
      )
      const reads = readsOf(plans, 'account')
      expect([query, reads.map((node) => node['Node Type'])]).toEqual([
        query,
        reads.map(() => expect.stringMatching(/^(Index|Bitmap Heap)/)),
      ])
      const most = Math.max(...reads.map(rowsRead))
      expect([query, scope, most, most < 1_200]).toEqual([query, scope, most, true])
    }
}, 120_000)
