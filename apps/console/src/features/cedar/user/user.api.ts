import { api } from '../../../session/api.ts'

/** The providers that a user belongs to. */
export const membershipsQuery = (user: string) =>
  api.cedar.query('/api/cedar/user/provider', { query: { user } })

/** The keys that a user created. */
export const userKeysQuery = (user: string) =>
  api.cedar.query('/api/cedar/user/key', { query: { user } })
