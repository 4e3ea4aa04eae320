import { sql } from 'kysely'
import { invalidField } from '../../../../core/http/problem.ts'
import type { MapleDb } from '../../base/tables.ts'
import type { OperationInput } from './operation.queries.ts'

/**
 * Whether Grove signs something for an operation: tokens for a domain that needs them, or a load file
 * by a key that Grove has.
 * @throws ProblemError `invalid_request` if there are neither tokens nor a key to make them.
 */
export async function needsSigning(
  db: MapleDb,
  cplcs: readonly string[],
  { domain, tokens, dapDomainAid }: OperationInput,
): Promise<boolean> {
  if (domain === undefined && dapDomainAid === undefined) return false
  const { rows } = await sql<{ wantsToken: boolean; hasTokenKey: boolean; hasDapKey: boolean }>`
    select
      coalesce(bool_or(not exists (
        select from maple.domain where domain.cplc = wanted.cplc and aid = ${domain ?? null}
          and 'authorizedManagement' = any(privileges)
      )), false) as "wantsToken",
      coalesce(bool_or(exists (${keyOf('token')})), false) as "hasTokenKey",
      coalesce(bool_or(exists (
        ${keyOf('dap')} and key.domain_aid = ${dapDomainAid ?? domain ?? null}
      )), false) as "hasDapKey"
    from unnest(${cplcs}::text[]) as wanted (cplc)
  `.execute(db)
  const { wantsToken, hasTokenKey, hasDapKey } = rows[0] ?? none
  const isDelegated = domain !== undefined && wantsToken && tokens === undefined
  if (isDelegated && !hasTokenKey)
    throw invalidField(
      'tokens',
      'required',
      'The domain needs a token for each command, and Grove has no key to make them. Send tokens from whoever has the card’s key for tokens.',
    )
  return isDelegated || hasDapKey
}

const none = { wantsToken: false, hasTokenKey: false, hasDapKey: false }

const keyOf = (purpose: string) => sql`
  select from maple.purpose_key as key where key.cplc = wanted.cplc and key.state = 'active'
    and key.purpose = ${purpose} and key.sealed_keys is not null`
