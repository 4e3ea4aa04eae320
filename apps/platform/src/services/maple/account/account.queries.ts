import { sql } from 'kysely'
import type { Calls, MapleAccount, QueryOf } from '@grove/contract'
import { accountSorting } from '@grove/contract/maple/account.rules'
import { defineRecords } from '../../../core/records/define-records.ts'
import { uuidBeginsWith } from '../../../core/records/uuid-prefix.ts'

export const accounts = defineRecords<MapleAccount, QueryOf<Calls['GET /api/maple/account']>>({
  table: 'maple.account',
  columns: {
    id: 'uuid',
    roles: 'text[]',
    expiresAt: { type: 'timestamptz', none: '9999-12-31T23:59:59.000000Z' },
  },
  sorting: accountSorting,
  filters: {
    q: (text) => uuidBeginsWith('id', text),
    validity: (validity) => sql`expires_at ${sql.raw(validity === 'active' ? '>' : '<=')} now()`,
  },
})
