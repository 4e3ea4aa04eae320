import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

/** The signed-in account, if the service exposes accounts. */
export const profileQuery = queryOptions({
  ...api.auth.query('/api/user/profile'),
  // It can change in another tab, in another browser or through a mailed link.
  refetchOnWindowFocus: 'always',
})
