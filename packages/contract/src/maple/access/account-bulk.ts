import { Type } from 'typebox'
import { creates, defineCalls } from '../../call.ts'
import { Nullable, Strict, Timestamp, Uuid } from '../../shapes.ts'
import { accountBulkActions, maxBulkAccounts } from './account-bulk.rules.ts'
import { expiryPattern, rolePattern } from './account.rules.ts'
import { bulkResultDays, bulkStates } from '../base/bulk.rules.ts'

const change = {
  action: Type.Enum(accountBulkActions),
  /** Of `grant` and `revoke`. */
  role: Type.Optional(Type.String({ pattern: rolePattern, examples: ['operator'] })),
  /** Of `setExpiry`; null removes it. */
  expiresAt: Type.Optional(
    Nullable(Type.String({ format: 'date-time', pattern: expiryPattern, maxLength: 32 })),
  ),
}

const Bulk = Type.Object({
  id: Uuid,
  change: Type.Object(change),
  state: Type.Enum(bulkStates),
  total: Type.Integer(),
  changed: Type.Integer(),
  /** Those already in the requested state. */
  unchanged: Type.Integer(),
  refused: Type.Integer(),
  createdBy: Type.String(),
  createdAt: Timestamp,
})
export type AccountBulk = Type.Static<typeof Bulk>

const access = { right: 'account.change', isScoped: true } as const

export const accountBulkCalls = defineCalls('maple', access, {
  'POST /api/maple/account/bulk': {
    summary: 'Change many accounts',
    description: `A job changes up to ${maxBulkAccounts} accounts, each by the rules of a change of one account and with the rights of the caller; a refusal is a result.`,
    body: Strict({
      ids: Type.Array(Uuid, { minItems: 1, maxItems: maxBulkAccounts, uniqueItems: true }),
      ...change,
    }),
    ...creates(Bulk),
  },
  'GET /api/maple/account/bulk/{id}': {
    summary: 'Read a change of many accounts',
    description: `It is kept for ${bulkResultDays} days.`,
    response: Bulk,
  },
  'POST /api/maple/account/bulk/{id}/cancel': {
    summary: 'Stop a change of many accounts',
    description:
      'Accounts that are changed by then stay changed. Once it has ended, nothing happens.',
    response: Bulk,
  },
  'GET /api/maple/account/bulk/{id}/csv': {
    summary: 'Download the result for each account, as CSV',
    response: Type.String(),
    produces: 'text/csv',
  },
})
