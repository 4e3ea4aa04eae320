import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

/** The signed-in account, where the service has accounts to show. */
export const profileQuery = queryOptions({
  ...api.auth.query('/api/user/profile'),
  // Another tab, another browser or a mailed link can change it.
  refetchOnWindowFocus: 'always',
})
