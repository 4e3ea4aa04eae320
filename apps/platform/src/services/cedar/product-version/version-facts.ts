import { sql } from 'kysely'
import type { ProductVersion } from '@grove/contract/cedar/product-version'

// A check takes seconds; an older one was interrupted with its process.
const maxCheck = sql`interval '2 minutes'`

/** The derived state of version `v`. */
export const versionState = sql<ProductVersion['state']>`case
  when v.enabled then 'live'
  when v.enabled_at is not null then 'previous'
  when v.checking_since > now() - ${maxCheck} then 'checking'
  when v.package_sha256 is not null then 'ready'
  when v.refused_report is not null then 'failed_checks'
  else 'no_package' end`

export const versionNumber = sql<string>`concat(v.major, '.', v.minor, '.', v.patch)`
