import { api } from '../../../session/api.ts'
import type { pageOf } from './account.search.ts'

export const peopleQuery = (query: ReturnType<typeof pageOf>) =>
  api.auth.query('/api/admin/account', { query })
