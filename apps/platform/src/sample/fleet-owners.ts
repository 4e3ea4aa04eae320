import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { MapleDb } from '../services/maple/base/tables.ts'

/** The service providers of the sample fleet; the last is suspended. */
export const sampleServices = [
  { id: 'city-transit', name: 'City Transit' },
  { id: 'harbour-access', name: 'Harbour Access' },
  { id: 'parkwise', name: 'ParkWise' },
  { id: 'volt-charging', name: 'Volt Charging' },
  { id: 'aqua-metering', name: 'Aqua Metering' },
  { id: 'nordic-lockers', name: 'Nordic Lockers' },
] as const

/** Profiles assigned to the sample's chips by platform rule, and by hand. */
const profiles = [
  { id: 'se05x', name: 'NXP SE05x', platform: '4790D321470010480300' },
  { id: 'transit-card', name: 'Transit card', platform: null },
]

const roles = ['viewer', 'operator', 'developer', 'auditor', 'security_officer', 'provider_admin']

/** Always the same user for a place. */
const userIdOf = (index: number) =>
  createHash('sha256')
    .update(`sample account ${index}`)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5')

const dayMs = 86_400_000
/** Accounts of one statement, which must end before the database stops it. */
const accountsAtOnce = 20_000

/** An account that never expires, has expired, expires soon, or later. */
function expiryOf(index: number, now: number): string {
  const days = [undefined, -5, 4, 18, 200, 400][index % 6]
  return days === undefined
    ? '9999-12-31T23:59:59Z'
    : new Date(now + (days + (index % 11)) * dayMs).toISOString()
}

/** Adds the service providers, profiles and accounts; existing ones stay unchanged. */
export async function addOwners(db: MapleDb, now: number, accounts: number): Promise<void> {
  await sql`
    insert into maple.service (id, name, name_key, state)
    select id, name, lower(name),
      case when id = ${sampleServices.at(-1)?.id} then 'suspended' else 'active' end::maple.service_state
    from unnest(
      ${sampleServices.map(({ id }) => id)}::text[], ${sampleServices.map(({ name }) => name)}::text[]
    ) as given (id, name)
    on conflict (id) do nothing
  `.execute(db)
  await sql`
    insert into maple.profile (id, name, platform)
    select * from unnest(
      ${profiles.map(({ id }) => id)}::text[], ${profiles.map(({ name }) => name)}::text[],
      ${profiles.map(({ platform }) => platform)}::text[]
    )
    on conflict do nothing
  `.execute(db)
  for (let first = 0; first < accounts; first += accountsAtOnce)
    await addAccounts(db, now, first, Math.min(first + accountsAtOnce, accounts))
}

async function addAccounts(db: MapleDb, now: number, first: number, end: number): Promise<void> {
  const indexes = Array.from({ length: end - first }, (_, index) => first + index)
  await sql`
    insert into maple.account (id, roles, service_id, expires_at, created_at)
    select id, array[role], service_id, expires_at, created_at
    from unnest(
      ${indexes.map(userIdOf)}::uuid[], ${indexes.map((index) => roles[index % roles.length])}::text[],
      ${indexes.map((index) => (index % 3 === 0 ? null : sampleServices[index % sampleServices.length]?.id))}::text[],
      ${indexes.map((index) => expiryOf(index, now))}::timestamptz[],
      ${indexes.map((index) => new Date(now - ((index % 700) + 1) * dayMs).toISOString())}::timestamptz[]
    ) as given (id, role, service_id, expires_at, created_at)
    on conflict (id) do nothing
  `.execute(db)
}
