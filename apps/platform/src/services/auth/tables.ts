import type { AccountRole } from '@grove/contract/auth/account.rules'
import type { LocaleCode } from '@grove/contract/locale.rules'
import type { ColumnType, Kysely } from 'kysely'

// Times are written as ISO text and read as text.
type Time = ColumnType<string, string, string>
type NullableTime = ColumnType<string | null, string | null | undefined, string | null>

// A type and not an interface: Kysely requires a record.
export type AuthTables = {
  'auth.account': {
    id: string
    email: ColumnType<string | null, string | null, string | null>
    email_verified_at: NullableTime
    password_hash: ColumnType<string | null, string | null, string | null>
    roles: string[]
    name: string | null
    locale: string
    created_at: Time
    disabled_at: NullableTime
  }
  'auth.known_network': { account_id: string; network: string; known_at: Time }
  'auth.session': {
    id: string
    account_id: string
    /** The networks where it was last used and where it began. */
    network: string
    first_network: string
    user_agent: string
    method: 'password' | 'signUp' | 'external'
    identity_id: ColumnType<string | null, string | null | undefined, string | null>
    created_at: Time
    last_used_at: Time
    idle_expires_at: Time
    expires_at: Time
    ended_at: NullableTime
    end_reason: ColumnType<string | null, string | null | undefined, string | null>
  }
  'auth.refresh_token': {
    hash: string
    session_id: string
    used_at: NullableTime
    sealed_answer: ColumnType<string | null, string | null | undefined, string | null>
  }
  'auth.signing_key': {
    kid: string
    public_jwk: ColumnType<PublicJwk, string, never>
    sealed_private_jwk: string
    signs_from: Time
  }
  'auth.identity': {
    id: string
    account_id: string
    broker: string
    issuer: string
    subject: string
    name: string | null
    email: string | null
    linked_at: Time
    last_used_at: Time
  }
  'auth.pending_link': {
    hash: string
    account_id: string
    broker: string
    issuer: string
    subject: string
    name: string | null
    email: string
    expires_at: Time
  }
  'auth.email_token': {
    hash: string
    account_id: string | null
    purpose: 'validate' | 'reset'
    email: string
    created_at: Time
    expires_at: Time
    used_at: NullableTime
  }
  'auth.invitation': {
    id: string
    email: string
    role: AccountRole
    locale: LocaleCode
    hash: string
    invited_by: string | null
    created_at: Time
    sent_at: Time
    expires_at: Time
    accepted_at: NullableTime
    withdrawn_at: NullableTime
    account_id: ColumnType<string | null, string | null | undefined, string | null>
  }
  'auth.throttle': { key: string; busy_until: number }
}

export type AuthDb = Kysely<AuthTables>

export interface PublicJwk {
  kty: string
  crv: string
  x: string
  y: string
  kid: string
  alg: string
  use: string
}
