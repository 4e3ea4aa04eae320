import type { BodyOf, Calls } from '@grove/contract'
import { defineEvents } from '../../../core/events/define-events.ts'
import { recordService } from '../../../core/records/record-service.ts'
import { accounts } from './account.queries.ts'

type NewAccount = BodyOf<Calls['POST /api/maple/account']>

export const accountService = recordService(accounts, {
  what: 'Maple account',
  subject: 'account',
  events: defineEvents('maple', ['account.create', 'account.update', 'account.delete']),
  stored: ({ id, roles = [], expiresAt = null }: NewAccount) => ({
    id,
    roles: [...new Set(roles)].toSorted(),
    expiresAt,
  }),
})
