import { sql } from 'kysely'
import { invalidField } from '../../../../core/http/problem.ts'
import type { MapleDb } from '../../base/tables.ts'
import { signingKeysOf, tokenNeed } from '../purpose-key/token-need.queries.ts'
import type { OperationInput } from './operation.queries.ts'

/**
 * Whether Grove signs something for an operation: tokens for a domain that needs them, or a load file
 * with a key that Grove has.
 * @throws ProblemError `invalid_request` if there are neither tokens nor a key to create them.
 */
export async function needsSigning(
  db: MapleDb,
  cplcs: readonly string[],
  { domain, tokens, dapDomainAid }: OperationInput,
): Promise<boolean> {
  const dapDomain = dapDomainAid ?? domain
  if (dapDomain === undefined) return false
  const need = await tokenNeed(db, cplcs, domain === undefined ? [] : [domain])
  const isDelegated = need.wantsToken && tokens === undefined
  if (isDelegated && !need.hasTokenKey)
    throw invalidField(
      'tokens',
      'required',
      'The domain needs a token for each command, and Grove has no key to make them. Send tokens from whoever has the card’s key for tokens.',
    )
  return isDelegated || (await hasDapKey(db, cplcs, dapDomain))
}

async function hasDapKey(db: MapleDb, cplcs: readonly string[], domain: string): Promise<boolean> {
  const { rows } = await sql`
    select from unnest(${cplcs}::text[]) as wanted (cplc)
    where exists (${signingKeysOf('dap')} and key.domain_aid = ${domain}) limit 1
  `.execute(db)
  return rows.length > 0
}
