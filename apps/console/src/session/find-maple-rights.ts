import { api } from './api.ts'
import { keepMapleRights } from './maple-rights.ts'

/** Looks up what the person's Maple account allows. */
export async function findMapleRights(userId: string | null): Promise<void> {
  // Without an answer, the next page tries again.
  const answer = await api.maple.get('/api/maple/account/own').catch(() => undefined)
  if (userId !== null && answer) keepMapleRights(userId, answer.rights)
}
