import { api } from './api.ts'
import { keepMapleRights } from './maple-rights.ts'

/** Asks what the Maple account of this person opens to them. */
export async function findMapleRights(userId: string | null): Promise<void> {
  // Without an answer the next page asks again.
  const answer = await api.maple.get('/api/maple/account/own').catch(() => undefined)
  if (userId !== null && answer) keepMapleRights(userId, answer.rights)
}
