import { Type } from 'typebox'
import { changes, countedLists, creates, defineCalls, deletes, scoped } from '../../call.ts'
import { maxCounted } from '../../page.rules.ts'
import {
  Ids,
  ListQuery,
  Nullable,
  optional,
  SearchText,
  stored,
  Strict,
  Timestamp,
  Uuid,
} from '../../shapes.ts'
import {
  accountSearchLimit,
  accountSorting,
  accountValidities,
  expiringDays,
  expiryPattern,
  maxListedAccounts,
  maxRoles,
  rolePattern,
} from './account.rules.ts'
import { mapleRights } from './right.rules.ts'
import { ServiceId } from './service.ts'

const Account = Type.Object({
  /** The id of the account's user. */
  id: Uuid,
  roles: Type.Array(Type.String()),
  /** Null: the account does not expire. */
  expiresAt: Nullable(Timestamp),
  /** Its service provider; it only has rights on that one's objects. */
  serviceId: Nullable(Type.String()),
  ...stored,
})
export type MapleAccount = Type.Static<typeof Account>

const RoleName = Type.String({ pattern: rolePattern, examples: ['operator'] })

const change = optional({
  roles: Type.Array(RoleName, { maxItems: maxRoles }),
  expiresAt: Nullable(Type.String({ format: 'date-time', pattern: expiryPattern, maxLength: 32 })),
  serviceId: Nullable(ServiceId),
})
const query = Strict({ id: Uuid })
const grant = Strict({ id: Uuid, role: RoleName })

const RightName = Type.Enum(mapleRights)

const AccountRights = Type.Object({
  id: Uuid,
  serviceId: Nullable(Type.String()),
  /** Why it has none of its rights now. */
  blockedBy: Nullable(Type.Enum(['expired', 'service_suspended'])),
  rights: Type.Array(
    Type.Object({
      right: RightName,
      /** The roles of the account that grant it; empty if it lacks the right. */
      roles: Type.Array(Type.String()),
      /** Every role that grants it. */
      givenBy: Type.Array(Type.String()),
    }),
  ),
  /** Roles of the account that grant no right. */
  unknownRoles: Type.Array(Type.String()),
})
export type MapleAccountRights = Type.Static<typeof AccountRights>

const Role = Type.Object({
  role: Type.String(),
  /** False for an account's role name that grants no right. */
  isKnown: Type.Boolean(),
  rights: Type.Array(RightName),
  /** The roles whose holders may grant it; administrators may grant any. */
  grantedBy: Type.Array(Type.String()),
  /** Whether the reader may grant it. */
  mayGrant: Type.Boolean(),
})
export type MapleRole = Type.Static<typeof Role>

const access = scoped('account.read', 'account.change')

export const mapleAccountCalls = defineCalls('maple', access, {
  'GET /api/maple/account': {
    summary: 'List Maple accounts',
    description: `A search looks at the first ${accountSearchLimit} ids. Accounts of one validity are always sorted by expiresAt; expiring ones expire within ${expiringDays} days.`,
    query: ListQuery(
      {
        q: SearchText('The beginning of an id, or a whole id'),
        ids: Ids(maxListedAccounts),
        validity: Type.Enum(accountValidities),
        role: RoleName,
        serviceId: ServiceId,
        count: Type.Boolean({
          description: `Also count the matches: all without a filter, else up to ${maxCounted}`,
        }),
      },
      accountSorting,
    ),
    ...countedLists(Account),
  },
  'POST /api/maple/account': {
    summary: 'Register a Maple account for a user id',
    body: Strict({ id: Uuid, ...change }),
    ...creates(Account, 'already_exists', 'service_suspended'),
  },
  'PUT /api/maple/account': {
    summary: 'Change the roles, expiry and service provider of a Maple account',
    query,
    body: Strict(change),
    ...changes(Account, 'service_suspended'),
  },
  'DELETE /api/maple/account': { summary: 'Delete a Maple account', query, ...deletes() },
  'GET /api/maple/account/rights': {
    summary: 'Explain what an account may do',
    description: 'Every right, with the roles of the account that give it and all that would.',
    query,
    response: AccountRights,
    problems: ['not_found'],
  },
  'GET /api/maple/account/own': {
    summary: 'Say what the Maple account of the reader lets them do',
    description: 'None without an account, and none while it is expired or suspended.',
    access: 'signedIn',
    response: Type.Object({ rights: Type.Array(RightName) }),
  },
  'GET /api/maple/roles': {
    summary: 'List roles with their rights, and who may grant them',
    access: { right: 'role.read', isScoped: true },
    response: Type.Object({
      /** Every right, in the order of the table. */
      rights: Type.Array(RightName),
      items: Type.Array(Role),
    }),
  },
  'POST /api/maple/roles': {
    summary: 'Grant a role to an account',
    description: 'Granting a role that the account has changes nothing.',
    access: { right: 'role.grant', isScoped: true },
    query: grant,
    response: Account,
    problems: ['not_found', 'limit_reached'],
  },
  'DELETE /api/maple/roles': {
    summary: 'Revoke a role of an account',
    description: 'Revoking a role that the account lacks changes nothing.',
    access: { right: 'role.grant', isScoped: true },
    query: grant,
    response: Account,
    problems: ['not_found'],
  },
})
