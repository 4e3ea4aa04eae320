import { api } from '../../../../session/api.ts'

/** The person behind a user id; none where the authentication service keeps no people. */
export const personQuery = (id: string) =>
  api.auth.query('/api/admin/account', { query: { q: id, limit: 1 } })
