import { expiringDays, type AccountValidity } from '@grove/contract/maple/access/account.rules'

const dayMs = 86_400_000

/** Whether an account is valid at a moment; null: it never expires. */
export function validityOf(expiresAt: string | null, now: number): AccountValidity {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now
  if (left <= 0) return 'expired'
  return left <= expiringDays * dayMs ? 'expiring' : 'active'
}
